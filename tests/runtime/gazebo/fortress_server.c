/* Runs a world file on the server of Gazebo Fortress. Debian and Ubuntu have no program for that, only the library behind
 * `ign gazebo`. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*Run)(const char *sdf, int iterations, int run, float hz, int levels, const char *role, int secondaries,
		   int record, const char *record_path, int record_resources, int overwrite, int compress,
		   const char *playback, const char *physics, const char *render_server, const char *render_gui,
		   const char *file, const char *record_topics, int wait_for_gui, int headless);

int main(int count, char **words)
{
	void *library = dlopen("libignition-gazebo6-ign.so.6", RTLD_NOW | RTLD_GLOBAL);
	void (*talk)(const char *level);
	Run run;
	FILE *file;
	char *sdf;
	long size;

	if (count != 2 || library == NULL || (file = fopen(words[1], "rb")) == NULL) {
		fprintf(stderr, "usage: fortress_server WORLD.sdf (%s)\n", library ? "one world file" : dlerror());
		return 2;
	}
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	sdf = calloc(1, size + 1);
	if (sdf == NULL || fread(sdf, 1, size, file) != (size_t)size)
		return 2;
	talk = (void (*)(const char *))dlsym(library, "cmdVerbosity");
	run = (Run)dlsym(library, "runServer");
	talk("3");
	return run(sdf, 0, 1, -1.0f, 0, "", 0, 0, "", 0, 0, 0, "", "", "ogre2", "ogre2", words[1], "", 0, 0);
}
