/** Asking the server, by paths relative to the page: it may be mounted anywhere. Whatever goes wrong comes back as a sentence. */
import type { Action, ActionAnswer, Refusal } from '../frames.ts'

export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string }

export async function get<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<Answer<T>> {
  const search = new URLSearchParams(query).toString()
  return ask<T>(search === '' ? path : `${path}?${search}`, {})
}

export async function act(group: string, action: Action): Promise<Answer<ActionAnswer>> {
  return ask<ActionAnswer>('api/actions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ group, ...action }),
  })
}

async function ask<T>(url: string, init: RequestInit): Promise<Answer<T>> {
  try {
    const response = await fetch(url, init)
    const body: unknown = await response.json()
    if (response.ok) return { ok: true, value: body as T }
    return { ok: false, message: isRefusal(body) ? body.error.message : `the server answered ${response.status}` }
  } catch (error) {
    // No connection, or an answer that is no JSON.
    return { ok: false, message: `no answer: ${error instanceof Error ? error.message : String(error)}` }
  }
}

const isRefusal = (body: unknown): body is Refusal =>
  typeof body === 'object' &&
  body !== null &&
  'error' in body &&
  typeof body.error === 'object' &&
  body.error !== null &&
  'message' in body.error &&
  typeof body.error.message === 'string'
