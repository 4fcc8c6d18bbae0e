namespace lucky {
    // --seed N
    Player* factory(cmdline::args&&);
}
