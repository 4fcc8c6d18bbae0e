// Stands for the file of the game's repository: the base class of players.
#ifndef PLAYER_H
#define PLAYER_H

#include <string>

#include "cmdline/args.h"

class Player {
public:
    virtual ~Player() {}
    virtual std::string name() const = 0;
    virtual void begin_game() = 0;
    virtual int hand() = 0;
    virtual int guess() = 0;
    virtual void end_round() = 0;
    virtual void end_game() = 0;
};

typedef Player* (*PlayerFactory)(cmdline::args&&);

#endif
