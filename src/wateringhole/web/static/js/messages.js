// @ts-check
/**
 * The messages between the server and the page of a table. This module contains only types. `python -m
 * tools.page_types` generates it from the structs in `house/page_messages.py` and `house/from_page.py`.
 */

export {};

/**
 * The first message.
 * @typedef {object} PageHello
 * @property {"hello"} type
 * @property {number} protocol
 * @property {string | null} [token] The token of the page's seat.  A spectator has none.
 * @property {number | null} [heard] The number of the last event that the page got before its connection broke.
 * @property {boolean} [paced] True if the page shows the events at the user's pace, and reports which one the user has seen.
 */

/**
 * The answer to the page's hello.
 * @typedef {object} HelloMessage
 * @property {"hello"} type
 * @property {number} protocol
 * @property {string} game
 * @property {number | null} seat The page's seat, or null for a spectator.
 * @property {number | null} resumed The event after which the events continue, or null if they start from the beginning.
 */

/**
 * The settings of a table.  Its host can change them until the game starts.
 * @typedef {object} TableSettings
 * @property {boolean} public True if the lobby lists the table, and its free seats need no invitation.
 * @property {number | null} time_limit Seconds for one decision of a human, or None for the limit of the house.
 * @property {number | null} time_per_game Seconds for all decisions of a human in the game, or None for no limit.
 * @property {boolean} rated True if the result counts for ratings (`people`).  It is chosen when the table is opened.  There is no coach.
 */

/**
 * The parts of a portrait.
 * @typedef {object} FaceInfo
 * @property {string} ears
 * @property {string} eyes
 * @property {string} mouth
 * @property {string} tint
 */

/**
 * A bot that may sit at a table.
 * @typedef {object} BotInfo
 * @property {string} name
 * @property {string} text Its description in English.
 * @property {number | null} level From 1 to 5, or null if it has no rating.
 * @property {number | null} rating
 * @property {number | null} error The error of the rating.
 * @property {FaceInfo | null} face Its portrait, or null for one that its name chooses.
 */

/**
 * A seat, as every page sees it.
 * @typedef {object} SeatInfo
 * @property {number} seat
 * @property {number} key A name of the seat that stays the same when seats change places.
 * @property {string} name Empty while the seat is free.
 * @property {"bot" | "person" | "program"} kind
 * @property {string | null} player The name of a bot's player.
 * @property {BotInfo | null} bot The description of that player, if it is installed.
 * @property {boolean} taken
 * @property {boolean} here
 * @property {boolean} remote True if the player joined with a program instead of the page.
 * @property {number | null} away Seconds left to reconnect, if the player is disconnected.
 * @property {string | null} out The reason why the player was thrown out.
 * @property {boolean} wants_coach
 */

/**
 * A spectator who asks for a seat.
 * @typedef {object} SeatRequestInfo
 * @property {number} id
 * @property {string} name
 */

/**
 * The tournament of a table.
 * @typedef {object} TournamentLink
 * @property {string} title
 * @property {string} link
 */

/**
 * A table, as every page sees it.
 * @typedef {object} TableInfo
 * @property {string} id
 * @property {string} game
 * @property {string} title
 * @property {"over" | "playing" | "waiting"} state
 * @property {boolean} public
 * @property {TableSettings} settings
 * @property {string} profile
 * @property {import("./rules-text.js").ChosenRules} chosen
 * @property {string | null} text The address of the game's texts.
 * @property {string | null} pictures The address of the pictures that explain the game.
 * @property {SeatInfo[]} seats
 * @property {number} turn
 * @property {number[]} asked The seats whom the game waits for.
 * @property {number} watchers
 * @property {number} reconnect_seconds Seconds for which the seat of a player without a page is reserved during the game.
 * @property {SeatRequestInfo[]} seat_requests Spectators who ask for a seat, before the game.
 * @property {string} link
 * @property {boolean} coach
 * @property {boolean} first_game
 * @property {TournamentLink | null} tournament The tournament whose game is played here, or None.
 */

/**
 * The table has changed.
 * @typedef {object} TableMessage
 * @property {"table"} type
 * @property {TableInfo} table
 */

/**
 * The page's seat has another number, because the host changed the order.
 * @typedef {object} SeatMessage
 * @property {"seat"} type
 * @property {number} seat
 */

/**
 * The addresses and names of a game's own files.
 * @typedef {object} ManifestInfo
 * @property {string} name The name of the game.
 * @property {string} module Exports `createBoardView` and `guide`.
 * @property {string[]} styles
 * @property {string | null} icons Exports `ICONS`, which contains the next two.
 * @property {string | null} picture The game's icon.
 * @property {string[]} faces The players' icons, one for each tint.
 * @property {string | null} banner Exports `banner`, which returns figures for the lobby.
 * @property {string | null} pictures Exports `pictures`, which returns five pictures that explain the game.
 * @property {string | null} text Exports `t`, the game's texts.
 */

/**
 * The sentences of an earlier event.
 * @typedef {object} LoggedEvent
 * @property {number} number
 * @property {number} turn
 * @property {string[]} text
 * @property {Record<string, string[]>} translations
 */

/**
 * A game starts, or the page joins it.
 * @typedef {object} GameMessage
 * @property {"game"} type
 * @property {number | null} seat
 * @property {string[]} names
 * @property {Record<string, any>} rules
 * @property {import("./types.js").Texts} texts
 * @property {ManifestInfo} page
 * @property {string} [commitment] The digest of the deal.
 * @property {LoggedEvent[]} log
 */

/**
 * An event, as this seat may see it.  The sentences are in English, and in other languages.
 * @typedef {object} EventMessage
 * @property {"event"} type
 * @property {number} number
 * @property {number} turn
 * @property {import("./types.js").GameEvent} event
 * @property {string[]} text
 * @property {Record<string, string[]>} translations
 * @property {any} scene The scene after the event.
 */

/**
 * A player has answered, and the scene shows it before any event.
 * @typedef {object} SceneMessage
 * @property {"scene"} type
 * @property {any} scene
 */

/**
 * A request to this seat.
 * @typedef {object} RequestMessage
 * @property {"request"} type
 * @property {number} id
 * @property {string} request
 * @property {number | null} seconds
 * @property {any} scene
 * @property {any} offers The possible answers with their effects.
 */

/**
 * The seats whom the game waits for.
 * @typedef {object} WaitingMessage
 * @property {"waiting"} type
 * @property {number[]} seats
 * @property {number | null} seconds
 * @property {number[]} watching Players who still watch the moves, so that their clocks have not started.
 * @property {number | null} clock_in Seconds after which their clocks start at the latest.
 */

/**
 * The answer was illegal, and the request stays open.
 * @typedef {object} RefusedMessage
 * @property {"refused"} type
 * @property {string} rule
 * @property {string} message
 */

/**
 * The page's player was thrown out, and may watch.
 * @typedef {object} ThrownOutMessage
 * @property {"thrown_out"} type
 * @property {string} reason
 * @property {string} message
 */

/**
 * A player in the result of a game.
 * @typedef {object} StandingInfo
 * @property {number} place
 * @property {number} seat
 * @property {string} name
 * @property {number | null} score Null for a player who was thrown out.
 * @property {[string, number][]} parts The parts of the score, each with its name and its points.
 * @property {string | null} out The reason why the player was thrown out.
 * @property {string} [reason] The reason of the forfeit, as the record has it.
 */

/**
 * The game is over.
 * @typedef {object} OverMessage
 * @property {"over"} type
 * @property {any} outcome
 * @property {StandingInfo[]} standings
 * @property {string | null} game_id The game's replay.
 * @property {string} [nonce] The nonce of the commitment.
 */

/**
 * Another player has set up the same table again.
 * @typedef {object} RematchMessage
 * @property {"rematch"} type
 * @property {string} by
 * @property {string} link
 */

/**
 * A player says something.
 * @typedef {object} EmoteMessage
 * @property {"emote"} type
 * @property {number} seat
 * @property {"good_game" | "good_luck" | "hello" | "oops" | "thanks" | "thinking" | "well_played" | "wow"} emote
 */

/**
 * The state of this page's request for a seat.
 * @typedef {object} SeatRequestMessage
 * @property {"seat_request"} type
 * @property {"accepted" | "declined" | "waiting"} state
 * @property {string} [token] The token of the seat, if the request was accepted.
 */

/**
 * The last message.  After a final one, the page does not reconnect by itself.
 * @typedef {object} ByeMessage
 * @property {"bye"} type
 * @property {string} reason
 * @property {boolean} final
 * @property {string} [game_id] The replay of the game, if it is over.
 */

/**
 * One thing to consider, as the game's texts name it.
 * @typedef {object} RemarkInfo
 * @property {string} name
 * @property {Record<string, number | string>} values
 * @property {Record<string, number | string>} subject The part of the table that it is about.
 */

/**
 * The answer of the best player.
 * @typedef {object} AdvisedMove
 * @property {string} text
 * @property {string} player
 * @property {number | null} chance The chance to win after that, or null until it is known.
 */

/**
 * A hint about the open request.
 * @typedef {object} HintMessage
 * @property {"hint"} type
 * @property {number} id
 * @property {number} level
 * @property {RemarkInfo} remark
 * @property {AdvisedMove | null} [move] The move at the highest level, or null if there is none.
 * @property {boolean} [is_ready] False while the game's code is compiled, which takes a while.
 */

/**
 * A possible answer with the chance to win after it.
 * @typedef {object} WeighedMove
 * @property {string} text
 * @property {number} chance
 * @property {number} error
 * @property {boolean} mine
 */

/**
 * A warning before a costly answer.
 * @typedef {object} CoachWarning
 * @property {RemarkInfo} remark
 * @property {number} games The games that were imagined, or 0 if the chances are exact.
 * @property {WeighedMove[]} options
 */

/**
 * The coach's view of an answer.
 * @typedef {object} CheckMessage
 * @property {"check"} type
 * @property {number} id
 * @property {CoachWarning | null} warning
 */

/**
 * A spectator asks the host for a seat.
 * @typedef {object} AskForSeat
 * @property {"ask_seat"} type
 * @property {string} name
 */

/**
 * The player gives up the seat.
 * @typedef {object} LeaveTable
 * @property {"leave"} type
 */

/**
 * The player wants a game with a coach for all, or no longer wants it.
 * @typedef {object} AgreeToCoach
 * @property {"agree"} type
 * @property {boolean} coach
 */

/**
 * The player says something to all.
 * @typedef {object} SendEmote
 * @property {"emote"} type
 * @property {"good_game" | "good_luck" | "hello" | "oops" | "thanks" | "thinking" | "well_played" | "wow"} emote
 */

/**
 * The user has seen all events up to this one.
 * @typedef {object} ReportSeen
 * @property {"seen"} type
 * @property {number} number
 */

/**
 * The answer to the open request.
 * @typedef {object} SendAnswer
 * @property {"answer"} type
 * @property {number} id The number of the request.
 * @property {any} answer
 */

/**
 * The user may soon ask the coach about the open request.
 * @typedef {object} PrepareCoach
 * @property {"coach"} type
 * @property {number} id
 */

/**
 * The user asks the coach about the open request.
 * @typedef {object} AskForHint
 * @property {"hint"} type
 * @property {number} id
 * @property {number} level From 1, what to look at, to 3, what the best player would do.
 * @property {string} [language]
 */

/**
 * The page asks the coach whether an answer to the open request costs much.
 * @typedef {object} AskForWarning
 * @property {"check"} type
 * @property {number} id
 * @property {any} answer
 * @property {string} [language]
 */

/** @typedef {HelloMessage | TableMessage | SeatMessage | GameMessage | EventMessage | SceneMessage | RequestMessage | WaitingMessage | RefusedMessage | ThrownOutMessage | OverMessage | RematchMessage | EmoteMessage | SeatRequestMessage | ByeMessage} ServerMessage */

/** @typedef {HintMessage | CheckMessage} CoachMessage */

/** @typedef {AskForSeat | LeaveTable | AgreeToCoach | SendEmote | ReportSeen | SendAnswer | PrepareCoach | AskForHint | AskForWarning} PageMessage */
