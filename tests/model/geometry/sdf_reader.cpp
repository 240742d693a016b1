// Loads an SDF file with libsdformat and prints the pose of every frame and link in the first link: name x y z qx qy qz qw.
#include <cstdio>
#include <iostream>
#include <sdf/sdf.hh>

int main(int, char **argv) {
  sdf::Root root;
  const auto errors = root.Load(argv[1]);
  for (const auto &error : errors) std::cerr << error.Message() << "\n";
  const sdf::Model *model = root.Model();
  if (!errors.empty() || model == nullptr) return 1;
  const std::string base = model->LinkByIndex(0)->Name();
  auto print = [&](const std::string &name, const sdf::SemanticPose &semantic) {
    ignition::math::Pose3d pose;
    for (const auto &error : semantic.Resolve(pose, base)) { std::cerr << error.Message() << "\n"; exit(1); }
    const auto &p = pose.Pos();
    const auto &q = pose.Rot();
    std::printf("%s %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", name.c_str(), p.X(), p.Y(), p.Z(), q.X(), q.Y(), q.Z(), q.W());
  };
  for (uint64_t i = 0; i < model->FrameCount(); ++i) print(model->FrameByIndex(i)->Name(), model->FrameByIndex(i)->SemanticPose());
  for (uint64_t i = 0; i < model->LinkCount(); ++i) {
    const sdf::Link *link = model->LinkByIndex(i);
    print(link->Name(), link->SemanticPose());
    if (!link->Inertial().MassMatrix().IsValid()) { std::cerr << "inertia of " << link->Name() << "\n"; return 1; }
  }
  return 0;
}
