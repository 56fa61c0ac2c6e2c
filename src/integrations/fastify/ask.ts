/** One question to the dashboard of a consumer in this process. Never rejects: a probe gets an answer. */

export interface DashboardAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
}

const TIMEOUT_MS = 5_000

export async function ask(url: string, path: string): Promise<DashboardAnswer> {
  try {
    const response = await fetch(new URL(path, reachable(url)), { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const type = response.headers.get('content-type') ?? 'text/plain; charset=utf-8'
    return { status: response.status, type, body: await response.text() }
  } catch (error) {
    const reasons = [`its dashboard does not answer: ${(error as Error).message}`]
    return {
      status: 503,
      type: 'application/json; charset=utf-8',
      body: JSON.stringify({ status: 'failing', reasons }),
    }
  }
}

/** "All addresses" is none that can be called. */
function reachable(url: string): URL {
  const own = new URL(url)
  if (own.hostname === '0.0.0.0') own.hostname = '127.0.0.1'
  if (own.hostname === '[::]') own.hostname = '[::1]'
  return own
}
