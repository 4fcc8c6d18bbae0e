// @ts-check
/**
 * The types of the page: messages between server and page, replays, and the interface of every game's view. This module contains only types.
 *
 * Seats count from 0.
 */

export {};

/* ---- tables, seats and messages from the server, generated from its structs ---- */

/** @typedef {import("./messages.js").BotInfo} BotInfo */
/** @typedef {import("./messages.js").FaceInfo} FaceInfo */
/** @typedef {import("./messages.js").SeatInfo} SeatInfo */
/** @typedef {import("./messages.js").TableSettings} TableSettings */
/** @typedef {import("./messages.js").TableInfo} TableInfo */
/** @typedef {import("./messages.js").HelloMessage} HelloMessage */
/** @typedef {import("./messages.js").TableMessage} TableMessage */
/** @typedef {import("./messages.js").SeatMessage} SeatMessage */
/** @typedef {import("./messages.js").GameMessage} GameMessage */
/** @typedef {import("./messages.js").EventMessage} EventMessage */
/** @typedef {import("./messages.js").SceneMessage} SceneMessage */
/** @typedef {import("./messages.js").RequestMessage} RequestMessage */
/** @typedef {import("./messages.js").WaitingMessage} WaitingMessage */
/** @typedef {import("./messages.js").RefusedMessage} RefusedMessage */
/** @typedef {import("./messages.js").ThrownOutMessage} ThrownOutMessage */
/** @typedef {import("./messages.js").OverMessage} OverMessage */
/** @typedef {import("./messages.js").RematchMessage} RematchMessage */
/** @typedef {import("./messages.js").EmoteMessage} EmoteMessage */
/** @typedef {import("./messages.js").SeatRequestMessage} SeatRequestMessage */
/** @typedef {import("./messages.js").ByeMessage} ByeMessage */
/** @typedef {import("./messages.js").ServerMessage} ServerMessage */
/** @typedef {EmoteMessage["emote"]} Emote */

/* ---- messages to the server, generated from its structs ---- */

/** @typedef {import("./messages.js").PageHello} PageHello */
/** @typedef {import("./messages.js").PageMessage} PageMessage */

/* ---- the coach, and messages of a game ---- */

/** @typedef {import("./messages.js").RemarkInfo} Remark */
/** @typedef {import("./messages.js").AdvisedMove} AdvisedMove */
/** @typedef {import("./messages.js").HintMessage} HintMessage */
/** @typedef {import("./messages.js").CoachWarning} Warning */
/** @typedef {import("./messages.js").CheckMessage} CheckMessage */
/** @typedef {{type: string, id: number, [field: string]: any}} ConsultMessage the `consult` of a game's view, or the game's reply; the game defines the type and the other fields */

/** @typedef {{event: string, seat?: number, [field: string]: any}} GameEvent the event's name and fields, as in docs/reference/protocol.md */

/** @typedef {import("./messages.js").StandingInfo} Standing */

/** @typedef {Record<string, any>} Texts a game's explanations under the rules of this table */

/* ---- replays ---- */

/** @typedef {{event: GameEvent, turn: number, scene: any, texts: (string[]|null)[]}} Frame texts for spectators, then by seat */

/**
 * @typedef {object} Replay
 * @property {string} game
 * @property {string} title
 * @property {string[]} names
 * @property {Record<string, any>} rules
 * @property {import("./rules-text.js").ChosenRules} chosen
 * @property {Texts} texts
 * @property {Manifest} page
 * @property {any} outcome
 * @property {{digest: string, nonce: string, next: string}} [commitment] to the deal, published before the game and kept
 * @property {Standing[]} standings
 * @property {Frame[]} frames
 * @property {{turn: number, frame: number, label: string}[]} turns
 * @property {Analysis} [analysis] of a game that was analysed
 */

/**
 * The chances of all seats, and the decisions that cost most.
 * @typedef {object} Analysis
 * @property {string} chanceOf the subject of the chances, to follow "the chance"
 * @property {string} bestPlayer the player whose answers are the measure
 * @property {{seat: number, points: [frame: number, chance: number][]}[]} lines
 * @property {CostlyDecision[]} costliest the costliest first
 * @property {number} frames the number of events of the game
 * @property {{turn: number, frame: number}[]} turns
 * @property {TurningPoint[]} turningPoints of all seats, at most three each
 */

/**
 * A decision that changed a seat's chance much, for better or worse.
 * @typedef {object} TurningPoint
 * @property {number} frame the frame before the answer
 * @property {number} seat
 * @property {number} turn
 * @property {boolean} good
 * @property {number} before
 * @property {number} after
 * @property {string} text the answer
 * @property {{text: string, chance: number, error: number, mine: boolean}[]} options the answer and two others
 */

/**
 * @typedef {object} CostlyDecision
 * @property {number} frame the frame before the answer
 * @property {number} seat
 * @property {number} before the chance with the best player's answer
 * @property {number} after the chance with the answer
 * @property {number} loss
 * @property {number} error the standard error of the loss, or 0 if it is exact
 * @property {string} text the answer
 * @property {string} best the best player's answer
 */

/* ---- a game's own files: its module exports createBoardView and guide ---- */

/** @typedef {import("./messages.js").ManifestInfo} Manifest */

/** @typedef {{createBoardView: (root: HTMLElement, options: BoardViewOptions) => BoardView, guide: Guide, coach?: GameCoach}} GameModule */

/**
 * A step of a guided first game.
 * @typedef {object} Lesson
 * @property {number} step from 1
 * @property {number} steps the number of all steps
 * @property {string} title
 * @property {string} text
 * @property {string} light the selector of the only thing to press now
 */

/**
 * The game's part of the coach.
 * @typedef {object} GameCoach
 * @property {(remark: Remark, names: string[], seat: number) => {title: string, look: string, why: string}} explain
 * @property {(remark: Remark) => {before: string, anyway: string}} warning the heading of a warning, and the button that ignores it
 * @property {(subject: Record<string, number|string>, seat: number) => string|null} locate the selector of what a remark is about
 * @property {(situation: {request: RequestMessage, progress: any, seat: number}) => Lesson|null} lesson the next step of a first game
 */

/**
 * @typedef {object} BoardViewOptions
 * @property {string[]} names by seat
 * @property {number|null} seat mine, or null for a spectator or a replay
 * @property {Record<string, any>} rules
 * @property {Texts} texts
 * @property {boolean} interactive whether the view will ever get a request
 */

/**
 * @typedef {object} ShowOptions
 * @property {boolean} [animate] animate the event instead of only showing its result
 * @property {boolean} [isPast] whether the user looks back at a live table, where drafts are not shown
 * @property {number|null} [viewpoint] in a replay, a seat or null for everything; omitted at a live table
 */

/**
 * What a view can do while a request is open.
 * @typedef {object} RequestActions
 * @property {(answer: any) => boolean} answer sends an answer; returns whether it was sent, as does `consult`; if not, the table shows why
 * @property {(message: {type: string, [field: string]: any}) => boolean} consult asks the server about the open request
 * @property {(text: string) => void} hint sets the line that says what to do now
 * @property {any} draft what `saveDraft` saved for this request before the page was reloaded, or null
 * @property {(value: any) => void} saveDraft saves the unfinished answer, so that it survives a reload
 */

/**
 * The view of a table. It contains no rules: it draws scenes and shows the offers of a request.
 * @typedef {object} BoardView
 * @property {(scene: any, event?: GameEvent|null, options?: ShowOptions) => Promise<void>} show
 *   draws a scene; the promise resolves when the animation is over
 * @property {(request: RequestMessage, actions: RequestActions) => void} ask
 * @property {() => void} stopAsking
 * @property {() => void} onDisconnect the connection broke, and unanswered messages are lost
 * @property {(message: ConsultMessage|RefusedMessage) => void} onReply handles the server's replies while a request is open
 * @property {(seats: SeatInfo[], waiting: number[]) => void} updateSeats the players, who is away, and whom the game waits for
 * @property {(seat: number) => Element | null | undefined} [seatElement] where the page shows what the player at a seat says
 * @property {() => void} skip ends the current animation
 * @property {(key: KeyboardEvent) => boolean} handleKey handles a key; returns whether it had a meaning
 * @property {(standings: Standing[]) => void} showResult shows the result of the game
 * @property {() => any} [progress] what the user has done about the open request, for the game's coach
 */

/** @typedef {{icon?: string, text: string, label?: string}} Fact a short fact for the header; the label is a full phrase for screen readers */

/**
 * @typedef {object} Guide
 * @property {{name: string, title: string}[]} phases of a turn or round, in order
 * @property {(scene: any) => {phase: string, turn: string, facts: Fact[]}} facts
 * @property {(scene: any, names: string[], seat: number|null, waiting: number[]) => string} hint one line about the current situation
 * @property {(texts: Texts, rules: Record<string, any>) => HelpSection[]} help
 * @property {[key: string, text: string][]} keys
 * @property {Record<string, string>} asks what to do, by the name of the request
 * @property {Record<string, string>} parts the names of the parts of a score
 * @property {(event: GameEvent) => string|null} icon for the log
 * @property {RegExp} [heading] matches lines of the log that start a turn, a round or a phase
 * @property {Timeline} [timeline]
 * @property {(event: GameEvent) => boolean} [isChoice] whether an event results from a player's answer; one of mine
 *   without a request was my only option
 * @property {(scene: any, seat: number) => boolean} [hasAnswered] whether a scene shows an answer of mine that no event
 *   of `isChoice` has shown yet
 */

/**
 * What a replay's timeline shows.
 * @typedef {object} Timeline
 * @property {string} name of the charted quantity
 * @property {(scene: any) => number} level
 * @property {Record<string, {text: string, shape: "loss"|"end"|"good", when?: (scene: any) => boolean}>} marks by event
 */

/** @typedef {{title: string, lines: string[], more?: Node}} HelpSection `more` follows the lines */
