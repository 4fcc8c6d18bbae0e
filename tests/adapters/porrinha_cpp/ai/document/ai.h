// A player written from the documentation of the original core alone.
namespace document {
    Player* factory(cmdline::args&&);
}
