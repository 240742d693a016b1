/* Preloaded into a Gazebo classic server: it listens on 127.0.0.1 where it would listen on every address.
 *
 * Gazebo classic has no authentication and offers no choice here. The calls of the kernel are made directly, so that this
 * also loads beside an older C library than the one it was compiled with.
 */
#include <linux/in.h>
#include <linux/socket.h>

#define BIND 49
#define GETSOCKOPT 55
#define SOL_SOCKET 1
#define SO_TYPE 3
#define STREAM 1
#define AF_INET 2

extern int *__errno_location(void);

static long kernel(long number, long a, long b, long c, long d, long e)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return result;
}

int bind(int socket, const struct sockaddr_in *address, unsigned length)
{
	struct sockaddr_in loopback;
	int type = 0;
	unsigned size = sizeof type;
	long result;

	if (length >= sizeof loopback && address->sin_family == AF_INET && address->sin_addr.s_addr == 0 &&
	    kernel(GETSOCKOPT, socket, SOL_SOCKET, SO_TYPE, (long)&type, (long)&size) == 0 && type == STREAM) {
		loopback = *address;
		loopback.sin_addr.s_addr = 0x0100007f;
		address = &loopback;
	}
	result = kernel(BIND, socket, (long)address, length, 0, 0);
	if (result < 0) {
		*__errno_location() = (int)-result;
		return -1;
	}
	return 0;
}
