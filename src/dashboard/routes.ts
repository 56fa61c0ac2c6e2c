/** What can be asked for, path by path. Nothing here is built from a path: what is not in the table does not exist. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { FanlaneError } from '../errors.ts'
import { type Health, liveness, readiness } from '../telemetry/health.ts'
import { PROMETHEUS_TYPE, prometheusText } from '../telemetry/prometheus.ts'
import { actionInWords, actionOf } from './actions.ts'
import { HttpError, jsonBody, send, sendJson } from './answers.ts'
import { asset } from './assets.ts'
import type { Board } from './board.ts'
import type { Action, Hello, PageName } from './frames.ts'
import type { Standing } from './guard.ts'
import { HISTORY_MS } from './history.ts'
import type { Question, Sort } from './instance.ts'
import type { LocalInstance } from './local.ts'
import { PEER_HEADER } from './remote.ts'
import type { Streams } from './streams.ts'

export interface Site {
  readonly version: string
  readonly source: Hello['source']
  readonly allowActions: boolean
  readonly boards: ReadonlyMap<string, Board>
  readonly locals: ReadonlySet<LocalInstance>
  readonly streams: Streams
}

export interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly query: URLSearchParams
  readonly standing: Standing
  /** Ours, or none at all. */
  readonly isOurOrigin: boolean
}

type Route = (site: Site, asked: Asked) => Promise<void> | void

/** For whoever runs the process: no name to check, no token, and nothing secret in the answer. */
const OPEN: Readonly<Record<string, Route>> = {
  '/livez': ({ locals }, { response }) =>
    health(
      response,
      [...locals].map(({ watched }) => liveness(watched.standing())),
    ),
  '/readyz': ({ locals }, { response }) =>
    health(
      response,
      [...locals].map(({ watched }) => readiness(watched.standing())),
    ),
  '/metrics': ({ locals }, { response }) =>
    send(response, 200, PROMETHEUS_TYPE, prometheusText([...locals].map(({ watched }) => watched.view()))),
}

const PRIVATE: Readonly<Record<string, Route>> = {
  '/api/hello': hello,
  '/api/stream': stream,
  '/api/peer': async (site, asked) => sendJson(asked.response, await boardOf(site, asked).ownAnswers(question(asked))),
  '/api/history': (site, asked) =>
    send(asked.response, 200, 'application/json; charset=utf-8', boardOf(site, asked).history()),
  '/api/config': async (site, asked) => sendJson(asked.response, await boardOf(site, asked).config()),
  '/api/dead-letters': deadLetters,
  '/api/dead-letter': deadLetter,
}

export function openRoute(path: string): Route | undefined {
  return Object.hasOwn(OPEN, path) ? OPEN[path] : undefined
}

export async function answer(site: Site, asked: Asked): Promise<void> {
  const { path, request, response } = asked
  if (path === '/api/actions') return act(site, asked)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    throw new HttpError(405, 'METHOD_NOT_ALLOWED', 'Only GET, and POST for /api/actions.')
  }
  const route = Object.hasOwn(PRIVATE, path) ? PRIVATE[path] : undefined
  if (route !== undefined) return route(site, asked)
  const found = await asset(path)
  if (found === null) throw new HttpError(404, 'NOT_FOUND', 'There is nothing here. The dashboard is at /.')
  send(response, 200, found.type, found.body)
}

/** One that fails is enough: whoever asks restarts the whole process. */
function health(response: ServerResponse, all: readonly Health[]): void {
  const ok = all.every((each) => each.ok)
  const reasons = all.flatMap((each) => each.reasons)
  sendJson(response, { status: ok ? 'ok' : 'failing', reasons }, ok ? 200 : 503)
}

function hello({ version, boards, allowActions, source }: Site, { response, standing }: Asked): void {
  const body: Hello = {
    version,
    groups: [...boards.keys()],
    actions: allowActions ? (standing === 'operator' ? 'on' : 'locked') : 'off',
    source,
    historyMs: HISTORY_MS,
  }
  sendJson(response, body)
}

function stream(site: Site, asked: Asked): Promise<void> {
  if (site.streams.isFull) {
    throw new HttpError(503, 'TOO_MANY_PAGES', 'Too many pages are open on this dashboard: close some.')
  }
  return site.streams.open(boardOf(site, asked), question(asked), asked.response)
}

async function deadLetters(site: Site, asked: Asked): Promise<void> {
  const board = boardOf(site, asked)
  if (board.tools === null) return sendJson(asked.response, { topics: [], letters: [], before: null })
  const topic = asked.query.get('topic')
  const before = asked.query.get('before')
  const found = await board.tools.deadLetters({
    count: whole(asked.query, 'count', 50, 1, 200),
    ...(topic === null ? {} : { topic }),
    ...(before === null ? {} : { before }),
  })
  sendJson(asked.response, found)
}

async function deadLetter(site: Site, asked: Asked): Promise<void> {
  const { query, response } = asked
  const topic = query.get('topic') ?? ''
  const partition = whole(query, 'partition', -1, 0)
  const offset = whole(query, 'offset', -1, 0)
  const found = await boardOf(site, asked).tools?.deadLetter({ topic, partition, offset })
  if (found === null || found === undefined) {
    throw new HttpError(404, 'NOT_FOUND', `There is no dead letter ${topic}-${partition}@${offset}, or not any more.`)
  }
  sendJson(response, found)
}

async function act(site: Site, asked: Asked): Promise<void> {
  const { request, response, standing, isOurOrigin } = asked
  if (request.method !== 'POST') throw new HttpError(405, 'METHOD_NOT_ALLOWED', 'Actions are sent with POST.')
  if (!isOurOrigin) throw new HttpError(403, 'ORIGIN_REFUSED', 'Actions are taken from the dashboard only.')
  const body = await jsonBody(request)
  const { group, ...given } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const board = boardNamed(site, typeof group === 'string' ? group : null)
  const action = checkedAction(given)
  const who = `${request.socket.remoteAddress ?? 'unknown'}`
  const why = refusal(site.allowActions, standing)
  if (why !== null) {
    board.refused(actionInWords(action), who, why)
    throw new HttpError(403, 'ACTIONS_OFF', why)
  }
  try {
    const message = await board.act(action, who, request.headers[PEER_HEADER] !== undefined)
    sendJson(response, { message: message ?? '', done: message !== null })
  } catch (error) {
    if (!(error instanceof FanlaneError)) throw error
    throw new HttpError(409, error.code, error.message, { cause: error })
  }
}

function checkedAction(given: unknown): Action {
  try {
    return actionOf(given)
  } catch (error) {
    if (!(error instanceof FanlaneError)) throw error
    throw new HttpError(400, error.code, error.message, { cause: error })
  }
}

function refusal(allowActions: boolean, standing: Standing): string | null {
  if (!allowActions) return 'Actions are off: start the dashboard with allowActions: true (--allow-actions).'
  if (standing !== 'operator')
    return 'This browser may only look: open the link with the token that the process printed.'
  return null
}

function boardOf(site: Site, { query }: Asked): Board {
  return boardNamed(site, query.get('group'))
}

function boardNamed({ boards }: Site, group: string | null): Board {
  const found = group === null ? boards.values().next().value : boards.get(group)
  if (found !== undefined) return found
  throw new HttpError(404, 'NOT_FOUND', 'There is no such group here: /api/hello names those that are.')
}

const PAGES: ReadonlySet<string> = new Set<PageName>([
  'overview',
  'partitions',
  'lanes',
  'retries',
  'dead-letters',
  'group',
  'errors',
  'config',
])
const SORTS: ReadonlySet<string> = new Set<Sort>(['stuck', 'lag', 'name'])
const STUCK_SHOWN = 5

function question({ query }: Asked): Question {
  const page = query.get('page') ?? 'overview'
  const sort = query.get('sort') ?? 'stuck'
  if (!PAGES.has(page)) throw new HttpError(400, 'QUERY_INVALID', `page is one of: ${[...PAGES].join(', ')}.`)
  if (!SORTS.has(sort)) throw new HttpError(400, 'QUERY_INVALID', `sort is one of: ${[...SORTS].join(', ')}.`)
  const cells = whole(query, 'cells', 240, 0, 1_000)
  const find = (query.get('find') ?? '').slice(0, 200)
  if (page === 'partitions') {
    const from = whole(query, 'from', 0, 0, 1_000_000)
    const count = whole(query, 'count', 25, 1, 200)
    return { page, sort: sort as Sort, from, count, find, cells, isAlone: false }
  }
  const count = page === 'overview' ? STUCK_SHOWN : 0
  const asked = { page: page as PageName, sort: 'stuck', from: 0, count, find: '', isAlone: false } as const
  return { ...asked, cells: count === 0 ? 0 : cells }
}

function whole(
  query: URLSearchParams,
  name: string,
  byDefault: number,
  min: number,
  max: number = Number.MAX_SAFE_INTEGER,
): number {
  const given = query.get(name)
  const value = given === null ? byDefault : Number(given)
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value
  throw new HttpError(400, 'QUERY_INVALID', `${name} is a whole number from ${min} to ${max}.`)
}
