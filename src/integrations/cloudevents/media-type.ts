/** What a content type says about how to read the bytes. */

export type MediaKind = 'json' | 'text' | 'bytes'

export function mediaKind(contentType: string | undefined): MediaKind {
  const essence = essenceOf(contentType)
  if (/^[^/]+\/(json|[^/]+\+json)$/.test(essence)) return 'json'
  return essence.startsWith('text/') ? 'text' : 'bytes'
}

/** Without parameters, in lower case. */
export function essenceOf(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}
