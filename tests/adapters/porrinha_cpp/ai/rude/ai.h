namespace rude {
    // --how HOW --when CALL --at N: once, at the Nth such call
    Player* factory(cmdline::args&&);
}
