// Two simple players: one hides the same number of sticks if it can, the other none.
namespace steady {
    Player* factory(cmdline::args&&);
    Player* still_factory(cmdline::args&&);
}
