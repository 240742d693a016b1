// A real peer of gz-transport for the tests.
//   peer publish TOPIC COUNT HZ    scans whose first range is their number
//   peer count TOPIC SECONDS       prints how many scans came, and how many were missing between them
//   peer serve SERVICE             answers a StringMsg with the same in capitals, until it is ended
//   peer ask SERVICE TEXT          prints the reply
#include <chrono>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

#include <ignition/msgs/laserscan.pb.h>
#include <ignition/msgs/stringmsg.pb.h>
#include <ignition/transport/Node.hh>

using ignition::msgs::LaserScan;
using ignition::msgs::StringMsg;

static int publish(ignition::transport::Node &node, const std::string &topic, int count, double hz)
{
  auto publisher = node.Advertise<LaserScan>(topic);
  for (int waited = 0; waited < 2000 && !publisher.HasConnections(); ++waited)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  // A subscriber announces itself before its connection is open, here as in the library itself.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  LaserScan scan;
  scan.set_count(361);
  for (int ray = 0; ray < 361; ++ray)
    scan.add_ranges(ray);
  auto due = std::chrono::steady_clock::now();
  for (int number = 0; number < count; ++number)
  {
    scan.set_ranges(0, number);
    publisher.Publish(scan);
    due += std::chrono::nanoseconds(static_cast<long long>(1e9 / hz));
    std::this_thread::sleep_until(due);
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
  return 0;
}

static int count(ignition::transport::Node &node, const std::string &topic, double seconds)
{
  std::mutex mutex;
  int received = 0, expected = 0;
  std::function<void(const LaserScan &)> take = [&](const LaserScan &scan)
  {
    std::lock_guard<std::mutex> lock(mutex);
    ++received;
    if (scan.ranges_size() == 361)
      expected = std::max(expected, static_cast<int>(scan.ranges(0)) + 1);
  };
  node.Subscribe(topic, take);
  std::cout << "ready" << std::endl;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  std::lock_guard<std::mutex> lock(mutex);
  std::cout << received << " " << expected - received << std::endl;
  return 0;
}

static int serve(ignition::transport::Node &node, const std::string &service)
{
  std::function<bool(const StringMsg &, StringMsg &)> answer = [](const StringMsg &request, StringMsg &reply)
  {
    std::string text = request.data();
    for (auto &character : text)
      character = std::toupper(static_cast<unsigned char>(character));
    reply.set_data(text);
    return !text.empty();
  };
  node.Advertise(service, answer);
  std::cout << "ready" << std::endl;
  ignition::transport::waitForShutdown();
  return 0;
}

static int ask(ignition::transport::Node &node, const std::string &service, const std::string &text)
{
  StringMsg request, reply;
  request.set_data(text);
  bool good = false;
  const bool answered = node.Request(service, request, 10000u, reply, good);
  std::cout << (answered ? (good ? reply.data() : "refused") : "no answer") << std::endl;
  return answered ? 0 : 1;
}

int main(int argc, char **argv)
{
  ignition::transport::Node node;
  const std::string verb = argc > 2 ? argv[1] : "";
  if (verb == "publish" && argc == 5)
    return publish(node, argv[2], std::atoi(argv[3]), std::atof(argv[4]));
  if (verb == "count" && argc == 4)
    return count(node, argv[2], std::atof(argv[3]));
  if (verb == "serve")
    return serve(node, argv[2]);
  if (verb == "ask" && argc == 4)
    return ask(node, argv[2], argv[3]);
  std::cerr << "peer publish | count | serve | ask" << std::endl;
  return 2;
}
