// Two plain players: one shows the same hand whenever it can, the other always an empty one.
namespace steady {
    Player* factory(cmdline::args&&);
    Player* still_factory(cmdline::args&&);
}
