/** The page that is shown, kept in the address (`#/partitions?find=orders`), so that it can be linked to and gone back to. */
import { useEffect, useState } from 'preact/hooks'
import type { PageName } from '../frames.ts'

export interface Route {
  readonly page: PageName
  readonly query: Readonly<Record<string, string>>
}

export const pageTitles: Readonly<Record<PageName, string>> = {
  overview: 'Overview',
  partitions: 'Partitions',
  lanes: 'Lanes',
  retries: 'Retries',
  'dead-letters': 'Dead letters',
  group: 'Group',
  errors: 'Errors',
  config: 'Config',
}

export const pageNames: readonly PageName[] = Object.keys(pageTitles).filter(isPage)

function isPage(name: string): name is PageName {
  return Object.hasOwn(pageTitles, name)
}

export function readRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  return { page: isPage(path) ? path : 'overview', query: Object.fromEntries(new URLSearchParams(search)) }
}

export function linkTo(page: PageName, query: Readonly<Record<string, string>> = {}): string {
  const search = new URLSearchParams(query).toString()
  return search === '' ? `#/${page}` : `#/${page}?${search}`
}

/** Changes what is looked at without a step in the browser's history. */
export function replaceQuery(route: Route, changes: Readonly<Record<string, string>>): void {
  const query = Object.fromEntries(Object.entries({ ...route.query, ...changes }).filter(([, value]) => value !== ''))
  location.replace(linkTo(route.page, query))
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash))
  useEffect(() => {
    const change = (): void => setRoute(readRoute(location.hash))
    addEventListener('hashchange', change)
    return () => removeEventListener('hashchange', change)
  }, [])
  return route
}
