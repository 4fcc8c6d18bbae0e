"""Traits for Evolution, one of each type."""

from wateringhole.games.evolution.traits import FoodEaten, FoodRevealed, NoReaction, PreventsAttack, WasAttacked


class Camouflage(PreventsAttack):
    trait_id = "camouflage"
    text = "It cannot be attacked by a species with a larger body."
    food_points = (-2, -1, 0, 1, 2)

    def prevent_attack(self, attacker, attacked, owner):
        return owner is not attacked or attacker.body <= attacked.body


class Thorns(WasAttacked):
    trait_id = "thorns"
    text = "When it is attacked, the attacker loses one food token."
    food_points = (-3, 0, 3)

    def was_attacked(self, attacker, attacked, owner):
        if owner is attacked:
            attacker = attacker.replace(food=attacker.food - 1)
        return attacker, attacked, owner


class RainDance(FoodRevealed):
    trait_id = "rain-dance"
    text = "When the food is revealed, it adds one token to the watering hole."
    food_points = range(-1, 2)

    def food_was_revealed(self, quantity, owner):
        return quantity + 1, owner


class Seeds(FoodEaten):
    trait_id = "seeds"
    text = "When its right-hand neighbour eats and is no carnivore, one token grows at the watering hole."

    def food_eaten(self, eater, quantity, owner):
        return quantity + 1 if eater is owner.right_neighbor else quantity


class Plumage(NoReaction):
    trait_id = "plumage"
    text = "It looks good. Like every trait, it scores one point at the end."
    food_points = (1, 2, 3)
