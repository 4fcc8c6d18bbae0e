namespace rude {
    // --how HOW --when CALL --at N: at the Nth such call of each object
    // --once FILE: only if there is no such file, which it then creates
    Player* factory(cmdline::args&&);
}
