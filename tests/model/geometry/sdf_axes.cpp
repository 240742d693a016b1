// Loads an SDF file with libsdformat and prints, all in the axes of the model: every link (L name x y z qx qy qz qw) and
// every axis (A name x y z), those of models in models with their scope; and whether the model is static (S 0 or 1).
#include <cstdio>
#include <iostream>
#include <sdf/sdf.hh>

static bool failed = false;

static void tell(const sdf::Errors &errors) {
  for (const auto &error : errors) { std::cerr << error.Message() << "\n"; failed = true; }
}

static void print(const sdf::Model *model, const std::string &scope, const ignition::math::Pose3d &place) {
  for (uint64_t i = 0; i < model->LinkCount(); ++i) {
    const sdf::Link *link = model->LinkByIndex(i);
    ignition::math::Pose3d pose;
    tell(link->SemanticPose().Resolve(pose, "__model__"));
    pose = place * pose;
    const auto &p = pose.Pos();
    const auto &q = pose.Rot();
    std::printf("L %s%s %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", scope.c_str(), link->Name().c_str(),
                p.X(), p.Y(), p.Z(), q.X(), q.Y(), q.Z(), q.W());
  }
  for (uint64_t i = 0; i < model->JointCount(); ++i) {
    const sdf::Joint *joint = model->JointByIndex(i);
    if (joint->Axis(0) == nullptr || joint->Type() == sdf::JointType::FIXED) continue;
    ignition::math::Vector3d axis;
    tell(joint->Axis(0)->ResolveXyz(axis, "__model__"));
    axis = place.Rot() * axis;
    std::printf("A %s%s %.17g %.17g %.17g\n", scope.c_str(), joint->Name().c_str(), axis.X(), axis.Y(), axis.Z());
  }
  for (uint64_t i = 0; i < model->ModelCount(); ++i) {
    const sdf::Model *inner = model->ModelByIndex(i);
    ignition::math::Pose3d pose;
    tell(inner->SemanticPose().Resolve(pose, "__model__"));
    print(inner, scope + inner->Name() + "::", place * pose);
  }
}

int main(int, char **argv) {
  sdf::Root root;
  sdf::ParserConfig config;
  config.SetFindCallback([](const std::string &uri) { return uri; });
  tell(root.Load(argv[1], config));
  const sdf::Model *model = root.Model();
  if (failed || model == nullptr) return 1;
  std::printf("S %d\n", model->Static() ? 1 : 0);
  print(model, "", ignition::math::Pose3d::Zero);
  return failed ? 1 : 0;
}
