/**
 * The language of the conformance scripts: who asks what, and what must come back. Plain data, so that the same script is
 * replayed on the simulated cluster, on Apache Kafka and on the embedded broker.
 */
import type { RequestKind, RequestOf, ResponseOf } from '../../src/testing/sim/cluster/requests.ts'

/** A value that an earlier answer brought (a member id, a producer epoch), perhaps plus something. */
export interface Ref {
  readonly $: 'ref'
  readonly name: string
  readonly plus: number
}

/** Whatever stands here in the answer is right, and is kept under this name. */
export interface Save {
  readonly $: 'save'
  readonly name: string
}

/** A list whose order the broker does not promise. */
export interface AnyOrder<T> {
  readonly $: 'anyOrder'
  readonly items: readonly T[]
}

/** A list that may go on: how far one answer reaches is the broker's choice. */
export interface StartsWith<T> {
  readonly $: 'startsWith'
  readonly items: readonly T[]
}

export type Given<T> =
  | Ref
  | (T extends readonly (infer U)[]
      ? readonly Given<U>[]
      : T extends object
        ? { readonly [K in keyof T]: Given<T[K]> }
        : T)

/** Only the fields that are named are compared; lists are compared element by element. */
export type Expected<T> =
  | Ref
  | Save
  | (T extends readonly (infer U)[]
      ? readonly Expected<U>[] | AnyOrder<Expected<U>> | StartsWith<Expected<U>>
      : T extends object
        ? { readonly [K in keyof T]?: Expected<T[K]> }
        : T)

/** A request whose fields may be references. */
export interface Ask<K extends RequestKind> {
  readonly kind: K
  readonly fields: Omit<{ readonly [F in keyof RequestOf<K>]: Given<RequestOf<K>[F]> }, 'kind'>
}

export interface ScriptRecord {
  readonly key: string | null
  readonly value: string
}

/** Things done to the cluster from outside. */
export type Control =
  /** One batch of a plain producer. */
  | { readonly kind: 'append'; readonly topic: string; readonly partition: number; readonly records: ScriptRecord[] }
  /** Compaction takes these records out. The topic is `compacted`, and later records of their keys are in the log. */
  | { readonly kind: 'compact'; readonly topic: string; readonly partition: number; readonly offsets: number[] }
  | {
      readonly kind: 'deleteRecordsBefore'
      readonly topic: string
      readonly partition: number
      readonly offset: number
    }
  /** An unclean election: everything that is appended between the two is lost, and the leader epoch rises. */
  | { readonly kind: 'loseFollower'; readonly topic: string; readonly partition: number }
  | { readonly kind: 'electFollower'; readonly topic: string; readonly partition: number }
  /** The coordinator goes to the other node; with `loading` it answers so until `awaitLoaded`. */
  | { readonly kind: 'moveCoordinator'; readonly of: 'group' | 'transaction'; readonly loading: boolean }
  | { readonly kind: 'awaitLoaded' }
  /** Markers for this topic, or for the groups' offsets, are not written: their transactions stay decided but half-ended. */
  | { readonly kind: 'holdMarkers'; readonly of: 'group' | { readonly topic: string } }
  | { readonly kind: 'releaseMarkers' }
  /** A broker answers EndTxn before it has written the markers. This waits for them. */
  | { readonly kind: 'awaitMarkers' }

export type Step =
  | {
      readonly kind: 'send'
      readonly actor: string
      readonly ask: Ask<RequestKind>
      /** Set: the answer comes later, in the `end` step with this id. */
      readonly id: string | null
      readonly expect: unknown
    }
  /** The request begun with this id is still unanswered. */
  | { readonly kind: 'waits'; readonly id: string }
  | { readonly kind: 'end'; readonly id: string; readonly expect: unknown }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'control'; readonly control: Control }

export type TopicKind = 'plain' | 'compacted' | 'replicated' | 'far'

export interface Script {
  readonly title: string
  /** `far`: led by a node that holds no coordinator. `replicated`: has a follower to lose. One partition unless told. */
  readonly topics?: Readonly<Record<string, TopicKind | { readonly kind: TopicKind; readonly partitions: number }>>
  readonly steps: readonly Step[]
}

export function ref(name: string, plus = 0): Ref {
  return { $: 'ref', name, plus }
}

export function save(name: string): Save {
  return { $: 'save', name }
}

export function anyOrder<T>(...items: readonly T[]): AnyOrder<T> {
  return { $: 'anyOrder', items }
}

export function startsWith<T>(...items: readonly T[]): StartsWith<T> {
  return { $: 'startsWith', items }
}

export function send<K extends RequestKind>(actor: string, ask: Ask<K>, expect: Expected<ResponseOf<K>>): Step {
  return { kind: 'send', actor, ask: ask as unknown as Ask<RequestKind>, id: null, expect }
}

export function begin<K extends RequestKind>(id: string, actor: string, ask: Ask<K>): Step {
  return { kind: 'send', actor, ask: ask as unknown as Ask<RequestKind>, id, expect: null }
}

export function waits(id: string): Step {
  return { kind: 'waits', id }
}

/** `_kind` only gives the expectation its type. */
export function end<K extends RequestKind>(id: string, _kind: K, expect: Expected<ResponseOf<K>>): Step {
  return { kind: 'end', id, expect }
}

export function advance(ms: number): Step {
  return { kind: 'advance', ms }
}

export function control(control: Control): Step {
  return { kind: 'control', control }
}
