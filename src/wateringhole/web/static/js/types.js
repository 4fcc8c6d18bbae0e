// @ts-check
/**
 * What travels between server and page, and what every game's view can do. Types only: nothing here runs.
 *
 * Seats count from 0.
 */

export {};

/* ---- tables and people ---- */

/**
 * @typedef {object} SeatInfo
 * @property {number} seat
 * @property {string} name
 * @property {"person"|"bot"} kind
 * @property {string} [player] the name of a bot's player
 * @property {boolean} taken
 * @property {boolean} here
 * @property {number|null} [away] seconds left to come back, where nobody is here
 * @property {string|null} [out] why somebody is out of the game
 */

/**
 * @typedef {object} TableInfo
 * @property {string} id
 * @property {string} game
 * @property {string} title
 * @property {"waiting"|"playing"|"over"} state
 * @property {boolean} public
 * @property {string} profile
 * @property {SeatInfo[]} seats
 * @property {number} turn
 * @property {number} watchers
 * @property {string} link
 */

/* ---- messages of the server ---- */

/**
 * `resumed`: the event after which the story goes on; null: it starts afresh.
 * @typedef {{type: "hello", seat?: number|null, resumed?: number|null}} HelloMessage
 */
/** @typedef {{type: "table", table: TableInfo}} TableMessage */
/**
 * A game begins, or somebody has come (back) to it; the log has what was told before.
 * @typedef {{type: "game", seat: number|null, names: string[], rules: Record<string, any>, texts: Texts,
 *   page: Manifest, log?: {number: number, turn: number, text: string[]}[]}} GameMessage
 */
/** @typedef {{type: "event", number: number, event: GameEvent, text: string[], scene: any}} EventMessage */
/** @typedef {{type: "scene", scene: any}} SceneMessage somebody has answered, and the table shows it before an event does */
/** @typedef {{type: "request", id: number, request: string, seconds: number|null, scene: any, offers: any}} RequestMessage */
/** @typedef {{type: "waiting", seats: number[], seconds: number|null}} WaitingMessage */
/** @typedef {{type: "refused", rule: string, message: string}} RefusedMessage */
/** @typedef {{type: "bye", reason: string, final?: boolean, game_id?: string}} ByeMessage final: do not come back */
/** @typedef {{type: "rematch", by: string, link: string}} RematchMessage somebody set up the same table once more */
/** @typedef {{type: "over", outcome: any, standings: Standing[], game_id: string|null}} OverMessage */
/** @typedef {{type: "thrown_out", reason: string, message: string}} ThrownOutMessage */
/** @typedef {{type: string, id: number, [field: string]: any}} ConsultMessage a game's reply to what its view asked with `consult` */

/**
 * @typedef {HelloMessage | TableMessage | GameMessage | EventMessage | SceneMessage | RequestMessage | WaitingMessage | RefusedMessage
 *   | ByeMessage | RematchMessage | OverMessage | ThrownOutMessage} ServerMessage
 */

/** @typedef {{event: string, seat?: number, [field: string]: any}} GameEvent its name and its fields, as in docs/protocol.md */

/**
 * @typedef {object} Standing
 * @property {number} place
 * @property {number} seat
 * @property {string} name
 * @property {number} score
 * @property {[name: string, points: number][]} parts
 * @property {string|null} out why it was thrown out
 */

/** @typedef {Record<string, any>} Texts what a game explains, as it holds under the rules of this table */

/* ---- replays ---- */

/** @typedef {{event: GameEvent, turn: number, scene: any, texts: (string[]|null)[]}} Frame texts: gallery, then by seat */

/**
 * @typedef {object} Replay
 * @property {string} game
 * @property {string} title
 * @property {string[]} names
 * @property {Record<string, any>} rules
 * @property {Texts} texts
 * @property {Manifest} page
 * @property {any} outcome
 * @property {Standing[]} standings
 * @property {Frame[]} frames
 * @property {{turn: number, frame: number, label: string}[]} turns
 */

/* ---- what a game brings along: its module exports createBoardView and guide ---- */

/**
 * What the server says about a game's own files; addresses are ready to be loaded.
 * @typedef {object} Manifest
 * @property {string} module exports `createBoardView` and `guide`
 * @property {string[]} styles
 * @property {string|null} icons exports `ICONS`, from which the next two are taken
 * @property {string|null} picture of the game
 * @property {string[]} faces of players, one for each tint
 * @property {string|null} banner exports `banner`, which returns figures for the lobby
 */

/** @typedef {{createBoardView: (root: HTMLElement, options: BoardViewOptions) => BoardView, guide: Guide}} GameModule */

/**
 * @typedef {object} BoardViewOptions
 * @property {string[]} names by seat
 * @property {number|null} seat mine; null for a watcher and for a replay
 * @property {Record<string, any>} rules
 * @property {Texts} texts
 * @property {boolean} interactive whether it will ever be asked something
 */

/**
 * @typedef {object} ShowOptions
 * @property {boolean} [animate] play what happened instead of jumping to it
 * @property {number|null} [viewpoint] a replay's eyes: a seat, or null for all-seeing; left out at a live table
 */

/**
 * What a view may do while it is asked something.
 * @typedef {object} Desk
 * @property {(answer: any) => boolean} answer whether it was sent, as with the next one; if not, the table has said so
 * @property {(message: {type: string, [field: string]: any}) => boolean} consult asks the game about the open request
 * @property {(text: string) => void} hint the one line that says what to do now
 */

/**
 * The picture of a table. It holds no rules: it draws scenes and offers what a request's offers lists.
 * @typedef {object} BoardView
 * @property {(scene: any, event?: GameEvent|null, options?: ShowOptions) => Promise<void>} show
 *   draws; the promise is kept when the animation is over (at once without one)
 * @property {(request: RequestMessage, desk: Desk) => void} ask
 * @property {() => void} stopAsking
 * @property {() => void} lose the connection broke: what was sent and not answered is gone
 * @property {(message: ConsultMessage|RefusedMessage) => void} hear the server's replies while asked
 * @property {(seats: SeatInfo[], waiting: number[]) => void} people who sits where, who is away, who is asked now
 * @property {() => void} skip end the animation under way
 * @property {(key: KeyboardEvent) => boolean} press a key for the game; whether it meant something
 * @property {(standings: Standing[]) => void} end the game is over
 */

/** @typedef {{icon?: string, text: string, label?: string}} Fact a short fact for the header; label: a whole sentence */

/**
 * @typedef {object} Guide
 * @property {{name: string, title: string}[]} phases of a turn or round, in order
 * @property {(scene: any) => {phase: string, turn: string, facts: Fact[]}} facts
 * @property {(scene: any, names: string[], seat: number|null, waiting: number[]) => string} hint what goes on now, one line
 * @property {(texts: Texts, rules: Record<string, any>) => HelpSection[]} help
 * @property {[key: string, text: string][]} keys
 * @property {Record<string, string>} asks what I am asked to do, by the kind of request
 * @property {Record<string, string>} parts what the parts of a score are called
 * @property {(event: GameEvent) => string|null} icon for the log
 * @property {RegExp} [heading] matches lines of the log that open a turn, a round or a phase
 * @property {Timeline} [timeline]
 * @property {(event: GameEvent) => boolean} [isChoice] whether it is what a player is asked about; one that happens
 *   to me unasked was the only thing I could do
 * @property {(scene: any, seat: number) => boolean} [hasAnswered] whether a scene shows an answer of mine that no event
 *   of `isChoice` has told yet
 */

/**
 * What a replay's timeline shows of each moment.
 * @typedef {object} Timeline
 * @property {string} name of the level
 * @property {(scene: any) => number} level
 * @property {Record<string, {text: string, shape: "loss"|"end"|"good", when?: (scene: any) => boolean}>} marks by event
 */

/** @typedef {{title: string, lines: string[], more?: Node}} HelpSection more: follows the lines */
