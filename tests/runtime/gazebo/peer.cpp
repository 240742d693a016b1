// A real peer of gz-transport for the tests.
//   peer publish TOPIC COUNT HZ    scans whose first range is their number
//   peer count TOPIC SECONDS       prints how many scans came, and how many were missing between them
//   peer serve SERVICE             answers a StringMsg with the same in capitals, until it is ended
//   peer ask SERVICE TEXT          prints the reply
//   peer world NAME                a world: its services, statistics and poses, until it is ended
//   peer devices                   one message a period of each kind of device, until it is ended; prints twists
#include <chrono>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

#include <cmath>
#include <limits>
#include <map>

#include <ignition/msgs/boolean.pb.h>
#include <ignition/msgs/contacts.pb.h>
#include <ignition/msgs/double.pb.h>
#include <ignition/msgs/empty.pb.h>
#include <ignition/msgs/entity.pb.h>
#include <ignition/msgs/entity_factory.pb.h>
#include <ignition/msgs/image.pb.h>
#include <ignition/msgs/imu.pb.h>
#include <ignition/msgs/laserscan.pb.h>
#include <ignition/msgs/model.pb.h>
#include <ignition/msgs/navsat.pb.h>
#include <ignition/msgs/odometry.pb.h>
#include <ignition/msgs/physics.pb.h>
#include <ignition/msgs/pointcloud_packed.pb.h>
#include <ignition/msgs/pose_v.pb.h>
#include <ignition/msgs/scene.pb.h>
#include <ignition/msgs/sdf_generator_config.pb.h>
#include <ignition/msgs/stringmsg.pb.h>
#include <ignition/msgs/twist.pb.h>
#include <ignition/msgs/world_control.pb.h>
#include <ignition/msgs/world_stats.pb.h>
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

// What a world of a server does with its services, without physics: models stay where they were put.
class World
{
public:
  World(ignition::transport::Node &node, const std::string &name) : name_(name)
  {
    const std::string base = "/world/" + name + "/";
    stats_ = node.Advertise<ignition::msgs::WorldStatistics>(base + "stats");
    poses_ = node.Advertise<ignition::msgs::Pose_V>(base + "pose/info");
    models_["ground"] = at(1, 0, 0, 0);
    node.Advertise(base + "control", &World::Control, this);
    node.Advertise(base + "create", &World::Create, this);
    node.Advertise(base + "remove", &World::Remove, this);
    node.Advertise(base + "set_pose", &World::SetPose, this);
    node.Advertise(base + "set_physics", &World::SetPhysics, this);
    node.Advertise(base + "scene/info", &World::SceneInfo, this);
    node.Advertise(base + "generate_world_sdf", &World::Sdf, this);
  }

  void Run()
  {
    auto due = std::chrono::steady_clock::now();
    for (int turn = 0;; ++turn)
    {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!paused_)
          iterations_ += 5;
        else if (pending_ > 0)
        {
          const uint64_t made = std::min<uint64_t>(pending_, 5);
          iterations_ += made;
          pending_ -= made;
        }
        if (turn % 10 == 0)
          Tell();
      }
      due += std::chrono::milliseconds(5);
      std::this_thread::sleep_until(due);
    }
  }

private:
  static ignition::msgs::Pose at(uint32_t id, double x, double y, double z)
  {
    ignition::msgs::Pose pose;
    pose.set_id(id);
    pose.mutable_position()->set_x(x);
    pose.mutable_position()->set_y(y);
    pose.mutable_position()->set_z(z);
    pose.mutable_orientation()->set_w(1);
    return pose;
  }

  void Tell()
  {
    ignition::msgs::WorldStatistics told;
    told.mutable_sim_time()->set_sec(iterations_ / 1000);
    told.mutable_sim_time()->set_nsec(iterations_ % 1000 * 1000000);
    told.set_paused(paused_);
    told.set_iterations(iterations_);
    stats_.Publish(told);
    ignition::msgs::Pose_V poses;
    for (const auto &[name, pose] : models_)
    {
      auto *added = poses.add_pose();
      added->CopyFrom(pose);
      added->set_name(name);
    }
    poses_.Publish(poses);
  }

  bool Control(const ignition::msgs::WorldControl &asked, ignition::msgs::Boolean &good)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    paused_ = asked.pause();
    pending_ += asked.multi_step();
    if (asked.has_reset() && (asked.reset().all() || asked.reset().time_only()))
    {
      iterations_ = 0;
      models_.clear();
      models_["ground"] = at(1, 0, 0, 0);
    }
    good.set_data(true);
    return true;
  }

  bool Create(const ignition::msgs::EntityFactory &asked, ignition::msgs::Boolean &good)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const bool fits = !asked.sdf().empty() && !asked.name().empty() && !models_.count(asked.name());
    if (fits)
    {
      auto pose = asked.pose();
      pose.set_id(++last_);
      models_[asked.name()] = pose;
      sdf_[asked.name()] = asked.sdf();
    }
    good.set_data(fits);
    return true;
  }

  bool Remove(const ignition::msgs::Entity &asked, ignition::msgs::Boolean &good)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    good.set_data(asked.type() == ignition::msgs::Entity::MODEL && models_.erase(asked.name()) == 1);
    return true;
  }

  bool SetPose(const ignition::msgs::Pose &asked, ignition::msgs::Boolean &good)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = models_.find(asked.name());
    good.set_data(found != models_.end());
    if (found != models_.end())
    {
      const auto id = found->second.id();
      found->second = asked;
      found->second.set_id(id);
    }
    return true;
  }

  bool SetPhysics(const ignition::msgs::Physics &asked, ignition::msgs::Boolean &good)
  {
    good.set_data(asked.max_step_size() > 0 && asked.real_time_factor() >= 0);
    return true;
  }

  bool SceneInfo(ignition::msgs::Scene &scene)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    scene.set_name(name_);
    for (const auto &[name, pose] : models_)
    {
      auto *model = scene.add_model();
      model->set_name(name);
      model->set_id(pose.id());
      model->set_is_static(name == "ground");
      auto *link = model->add_link();
      link->set_name("link");
      auto *visual = link->add_visual();
      visual->set_name("visual");
      visual->set_parent_name("link");
      auto *size = visual->mutable_geometry()->mutable_box()->mutable_size();
      size->set_x(2);
      size->set_y(1);
      size->set_z(1);
    }
    return true;
  }

  bool Sdf(const ignition::msgs::SdfGeneratorConfig &, ignition::msgs::StringMsg &text)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    std::string all = "<sdf version='1.9'><world name='" + name_ + "'>";
    for (const auto &[name, sdf] : sdf_)
    {
      const auto from = sdf.find("<model"), to = sdf.rfind("</sdf>");
      if (from != std::string::npos && to != std::string::npos)
        all += sdf.substr(from, to - from);
    }
    text.set_data(all + "</world></sdf>");
    return true;
  }

  std::string name_;
  std::mutex mutex_;
  std::map<std::string, ignition::msgs::Pose> models_;
  std::map<std::string, std::string> sdf_;
  uint32_t last_ = 1;
  bool paused_ = false;
  uint64_t iterations_ = 0, pending_ = 0;
  ignition::transport::Node::Publisher stats_, poses_;
};

template <class Message> static void stamp(Message &message, int number)
{
  message.mutable_header()->mutable_stamp()->set_sec(number / 50);
  message.mutable_header()->mutable_stamp()->set_nsec(number % 50 * 20000000);
}

static int devices(ignition::transport::Node &node)
{
  using namespace ignition::msgs;
  auto scans = node.Advertise<LaserScan>("/laser");
  auto clouds = node.Advertise<PointCloudPacked>("/cloud");
  auto images = node.Advertise<Image>("/camera");
  auto depths = node.Advertise<Image>("/depth");
  auto units = node.Advertise<IMU>("/imu");
  auto fixes = node.Advertise<NavSat>("/gps");
  auto poses = node.Advertise<Pose_V>("/poses");
  auto odometers = node.Advertise<Odometry>("/odometry");
  auto joints = node.Advertise<Model>("/joints");
  auto touches = node.Advertise<Contacts>("/contacts");
  std::function<void(const Twist &)> obey = [](const Twist &twist)
  { std::cout << "twist " << twist.linear().x() << " " << twist.angular().z() << std::endl; };
  node.Subscribe("/cmd_vel", obey);
  std::function<void(const Double &)> turn = [](const Double &target)
  { std::cout << "joint " << target.data() << std::endl; };
  node.Subscribe("/arm", turn);
  for (int number = 0;; ++number)
  {
    LaserScan scan;
    stamp(scan, number);
    scan.set_angle_min(-0.5);
    scan.set_angle_max(0.5);
    scan.set_angle_step(0.5);
    scan.set_count(3);
    scan.set_vertical_count(1);
    for (const double range : {1.0, 2.0, std::numeric_limits<double>::infinity()})
      scan.add_ranges(range);
    scans.Publish(scan);

    PointCloudPacked cloud;
    stamp(cloud, number);
    const char *names[] = {"x", "y", "z"};
    for (int axis = 0; axis < 3; ++axis)
    {
      auto *field = cloud.add_field();
      field->set_name(names[axis]);
      field->set_offset(4 * axis);
      field->set_datatype(PointCloudPacked::Field::FLOAT32);
      field->set_count(1);
    }
    cloud.set_height(1);
    cloud.set_width(3);
    cloud.set_point_step(16);
    cloud.set_row_step(48);
    const float points[12] = {3, 0, 4, 0, 1, 2, 2, 0, INFINITY, 0, 0, 0};
    cloud.set_data(std::string(reinterpret_cast<const char *>(points), sizeof points));
    clouds.Publish(cloud);

    Image image;
    stamp(image, number);
    image.set_width(2);
    image.set_height(1);
    image.set_step(6);
    image.set_pixel_format_type(RGB_INT8);
    image.set_data(std::string("\x01\x02\x03\x04\x05\x06", 6));
    images.Publish(image);

    const float metres[2] = {1.5f, 2.5f};
    image.set_step(8);
    image.set_pixel_format_type(R_FLOAT32);
    image.set_data(std::string(reinterpret_cast<const char *>(metres), sizeof metres));
    depths.Publish(image);

    IMU unit;
    stamp(unit, number);
    unit.mutable_orientation()->set_w(1);
    unit.mutable_angular_velocity()->set_z(0.25);
    unit.mutable_linear_acceleration()->set_z(9.8);
    units.Publish(unit);

    NavSat fix;
    stamp(fix, number);
    fix.set_latitude_deg(50.29);
    fix.set_longitude_deg(-111.1);
    fix.set_altitude(700);
    fixes.Publish(fix);

    Pose_V all;
    stamp(all, number);
    auto *pose = all.add_pose();
    pose->set_name("rover");
    pose->mutable_position()->set_x(number);
    pose->mutable_orientation()->set_w(1);
    poses.Publish(all);

    Odometry odometry;
    stamp(odometry, number);
    odometry.mutable_pose()->mutable_position()->set_x(2);
    odometry.mutable_pose()->mutable_orientation()->set_w(1);
    odometry.mutable_twist()->mutable_linear()->set_x(0.5);
    odometry.mutable_twist()->mutable_angular()->set_z(-0.5);
    odometers.Publish(odometry);

    Model model;
    stamp(model, number);
    auto *joint = model.add_joint();
    joint->set_name("wheel");
    joint->mutable_axis1()->set_position(0.75);
    joint->mutable_axis1()->set_velocity(1.25);
    joints.Publish(model);

    Contacts contacts;
    stamp(contacts, number);
    auto *contact = contacts.add_contact();
    contact->mutable_collision1()->set_name("rover::hull::bumper");
    contact->mutable_collision2()->set_name("wall::link::collision");
    touches.Publish(contacts);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
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
  if (verb == "world")
  {
    World world(node, argv[2]);
    std::cout << "ready" << std::endl;
    world.Run();
  }
  if (argc == 2 && std::string(argv[1]) == "devices")
    return devices(node);
  std::cerr << "peer publish | count | serve | ask | world | devices" << std::endl;
  return 2;
}
