namespace probe {
    // --log FILE
    Player* factory(cmdline::args&&);
}
