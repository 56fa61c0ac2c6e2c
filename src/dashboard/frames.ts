/**
 * What the server tells the page: plain data over HTTP, the one contract between the two. Types only: the page, which runs in
 * a browser, imports them as well.
 *
 * Text of users (keys, topics, groups, errors) is here as it came: HTML, ANSI, anything. The page shows it as text.
 */

/** `GET /api/hello`: told once, when the page opens. */
export interface Hello {
  readonly version: string
  readonly groups: readonly string[]
  /** 'locked': this browser may look only, until it opens the link with the token; 'off': actions are not allowed at all. */
  readonly actions: 'off' | 'locked' | 'on'
  /** 'process': consumers tell about themselves; 'outside': only what the brokers know, from commits and their maps. */
  readonly source: 'process' | 'outside'
  /** How far back the time slider goes. */
  readonly historyMs: number
}

export type PageName = 'overview' | 'partitions' | 'lanes' | 'retries' | 'dead-letters' | 'group' | 'errors' | 'config'

/**
 * `GET /api/stream?group=g&page=partitions&from=0&count=25&sort=stuck&find=text` is a stream of server-sent events, each named
 * `frame`, with a Frame as JSON. `from`, `count`, `sort`, `find` are for the page of partitions.
 */
export interface Frame {
  /** Milliseconds since 1970, of the server. */
  readonly at: number
  readonly group: string
  readonly overview: OverviewFrame
  readonly instances: readonly InstanceFrame[]
  readonly detail: Detail
  /** Only where whoever runs the process compares something, as `fanlane demo` does. */
  readonly beside: Beside | null
}

/** Ways to do the same work, next to each other. */
export interface Beside {
  readonly title: string
  /** All that there will be, in the order of their turns: the first is what the last is compared with. */
  readonly runs: readonly BesideRun[]
  /** How many times the first one's rate; null: not known yet. */
  readonly ratio: number | null
  /** What has to hold meanwhile: "order ok", "3 out of order". */
  readonly check: { readonly ok: boolean; readonly words: string }
}

export interface BesideRun {
  readonly name: string
  readonly records: number
  /** Null: its turn has not come. Afterwards it stays as it was. */
  readonly perSecond: number | null
  readonly isOver: boolean
}

export type Detail =
  | { readonly page: 'overview'; readonly stuck: readonly PartitionFrame[] }
  | {
      readonly page: 'partitions'
      readonly from: number
      /** How many there are after `find`. */
      readonly total: number
      readonly partitions: readonly PartitionFrame[]
    }
  | { readonly page: 'lanes'; readonly count: number; readonly hottest: readonly LaneFrame[] }
  | {
      readonly page: 'retries'
      /** Soonest first, the first hundred. */
      readonly waiting: readonly WaitingFrame[]
      readonly waitingTotal: number
      readonly parked: readonly ParkedFrame[]
    }
  | { readonly page: 'group'; readonly members: readonly MemberFrame[]; readonly rebalances: readonly RebalanceFrame[] }
  | { readonly page: 'errors'; readonly errors: readonly ErrorFrame[]; readonly audit: readonly AuditFrame[] }
  | { readonly page: 'dead-letters' | 'config' }

/** What adds up over instances. */
export interface Sums {
  readonly partitions: number
  /** Partitions whose position is held back by the same record for longer than `stalledAfterMs`. */
  readonly stalled: number
  /** Records a second, over the last ten seconds. */
  readonly rates: { readonly finished: number; readonly admitted: number; readonly retries: number }
  /** True lag in records, over all partitions. */
  readonly lag: number
  /** Age of the oldest unfinished record; null: not known. */
  readonly lagMs: number | null
  readonly inFlight: Used
  readonly bytes: Used
  readonly running: Used
  readonly lanes: number
  readonly waiting: number
  readonly parked: number
  readonly eventLoopMs: number | null
  /** Partitions that do not fetch, by reason: backpressure, map-full, user, parked. */
  readonly paused: Readonly<Record<string, number>>
  readonly totals: Readonly<Record<string, number>>
}

export interface Used {
  readonly used: number
  readonly limit: number
}

export interface OverviewFrame extends Sums {
  /** Of handlers, over the last ten seconds; null: none ended. */
  readonly handlerMs: { readonly p50: number; readonly p95: number; readonly p99: number } | null
  readonly commitMs: { readonly p50: number; readonly p99: number } | null
}

export interface InstanceFrame {
  readonly id: string
  /** Where it says it runs: host and process id. */
  readonly name: string
  /** 'silent': another process that did not answer; its figures are the last ones. */
  readonly state: 'up' | 'silent' | 'closed'
  /** When its figures were taken. */
  readonly at: number
  readonly partitions: number
  readonly finishedPerSecond: number
  readonly inFlight: number
  readonly running: number
  readonly concurrency: number
  readonly engine: string
  readonly rssBytes: number
  /** Why it is silent. */
  readonly problem: string | null
}

export interface PartitionFrame {
  readonly topic: string
  readonly partition: number
  /** The instance that holds it; '' outside. */
  readonly instance: string
  readonly state: string
  readonly position: number
  readonly committed: number | null
  readonly logEnd: number
  readonly lag: number
  readonly lagMs: number | null
  /** Finished records after the position. */
  readonly gap: number
  readonly queued: number
  readonly inFlight: number
  readonly map: {
    readonly chars: number
    readonly limit: number
    readonly encoding: string
    readonly entries: number
    readonly truncated: number
  }
  readonly paused: readonly string[]
  readonly blocking: BlockingFrame | null
  readonly strip: Strip
}

export interface BlockingFrame {
  readonly offset: number
  readonly key: string | null
  /** For how long it has held the position back. */
  readonly forMs: number
  readonly doing: 'queued' | 'running' | 'waiting' | 'unfinished'
  /** In words: "running for 1200 ms", "waiting". */
  readonly detail: string
  readonly attempt: number
  readonly nextAttemptAt: number | null
  /** The last error, or that its key is parked or paused. */
  readonly why: string | null
  readonly stalled: boolean
}

/**
 * The offset map as it is, from left to right: one letter per cell, each cell `perCell` offsets wide (the last may reach beyond `to`).
 *
 * c committed · f finished, above the committed position · r running · w waiting for a retry · q queued · u not read yet
 *
 * A cell of several offsets shows the one that needs a look most: r, w, q, u, f, c in this order.
 */
export interface Strip {
  readonly from: number
  readonly to: number
  readonly perCell: number
  readonly cells: string
}

export interface LaneFrame {
  readonly topic: string
  readonly partition: number
  readonly key: string
  readonly depth: number
  /** Why nothing of it starts: by hand, or by its breaker. */
  readonly paused: 'user' | 'parked' | null
  readonly instance: string
}

export interface WaitingFrame {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly key: string | null
  readonly attempt: number
  readonly dueAt: number
  readonly error: string
}

export interface ParkedFrame {
  readonly topic: string
  readonly partition: number
  readonly key: string | null
  readonly since: number
  readonly depth: number
  readonly poisons: number
  readonly why: string
}

export interface MemberFrame {
  readonly id: string
  readonly clientId: string
  readonly host: string
  readonly partitions: readonly string[]
}

export interface RebalanceFrame {
  readonly at: number
  readonly instance: string
  readonly change: 'assigned' | 'revoked' | 'lost'
  /** At most fifty are named. */
  readonly partitions: readonly string[]
  readonly count: number
}

export interface ErrorFrame {
  readonly at: number
  readonly instance: string
  readonly kind: 'error' | 'retry' | 'dead-letter' | 'skipped' | 'stalled' | 'fenced' | 'parked'
  readonly code: string
  readonly message: string
  /** topic-partition@offset, where it is about a record. */
  readonly where: string | null
}

export interface AuditFrame {
  readonly at: number
  /** In words: "skip orders-3@1041". */
  readonly what: string
  readonly outcome: 'done' | 'refused'
  readonly message: string | null
  /** Address that asked. */
  readonly who: string
}

/** `GET /api/history?group=g`: the last minutes, oldest first, for the time slider. */
export interface History {
  readonly frames: readonly HistoryFrame[]
}

export interface HistoryFrame {
  readonly at: number
  readonly overview: OverviewFrame
  /** The ones that were held back for longest, at most 64. */
  readonly partitions: readonly PartitionFrame[]
  readonly beside: Beside | null
}

/** `GET /api/config?group=g`: secrets are `[redacted]`. */
export interface ConfigAnswer {
  readonly options: readonly {
    readonly name: string
    readonly value: string
    readonly isDefault: boolean
    readonly about: string
  }[]
}

/** `GET /api/dead-letters?group=g&topic=t&count=50&before=cursor`: newest first, without payloads. */
export interface DeadLetters {
  /** Dead-letter topics that exist. */
  readonly topics: readonly { readonly topic: string; readonly letters: number }[]
  readonly letters: readonly DeadLetter[]
  /** For the next page; null: there are no more. */
  readonly before: string | null
}

export interface DeadLetter {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly at: number
  readonly key: string | null
  /** Where it came from; null where its headers do not say. */
  readonly source: { readonly topic: string; readonly partition: number; readonly offset: number } | null
  readonly group: string | null
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly attempts: number | null
  readonly redriven: boolean
}

/** `GET /api/dead-letter?topic=t&partition=0&offset=1`: shown because somebody asked. Text, or `base64:…` where it is none. */
export interface DeadLetterContent {
  readonly letter: DeadLetter
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly { readonly key: string; readonly value: string | null }[]
}

/** `POST /api/actions`, `content-type: application/json`. Answers 200 with ActionAnswer, else 4xx with Refusal. */
export type Action =
  | {
      readonly kind: 'pause' | 'resume'
      readonly topic: string
      readonly partition?: number
      /** As a frame shows it: text, or `base64:…`. */
      readonly key?: string
    }
  /** For one instance, or for all of the group. */
  | { readonly kind: 'concurrency'; readonly limit: number; readonly instance?: string }
  | { readonly kind: 'skip'; readonly topic: string; readonly partition: number; readonly offset: number }
  /** A parked key goes on; null: records without a key, or all of the partition. */
  | { readonly kind: 'release'; readonly topic: string; readonly partition: number; readonly key: string | null }
  /** One letter, or all of the topic that have not been redriven. */
  | { readonly kind: 'redrive'; readonly topic: string; readonly partition?: number; readonly offset?: number }

export interface ActionAnswer {
  readonly message: string
}

/** Any answer that is no success. */
export interface Refusal {
  readonly error: { readonly code: string; readonly message: string }
}
