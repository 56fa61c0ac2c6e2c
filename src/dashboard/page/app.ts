/** The frame around the pages: who is looked at, whether it is heard of, where to go. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Frame, Hello, OverviewFrame, PageName } from '../frames.ts'
import type { Question } from './actions.ts'
import { get } from './api.ts'
import { Confirm, type Outcome, Outcomes } from './dialog.ts'
import { age, count, cut, timeOfDay, visible } from './format.ts'
import { h, type View } from './h.ts'
import type { PageProps } from './page-props.ts'
import { Config } from './pages/config.ts'
import { DeadLettersPage } from './pages/dead-letters.ts'
import { Errors } from './pages/errors.ts'
import { Group } from './pages/group.ts'
import { Lanes } from './pages/lanes.ts'
import { Overview } from './pages/overview.ts'
import { Partitions, windowOf } from './pages/partitions.ts'
import { Retries } from './pages/retries.ts'
import { ReplayBar, useReplay } from './replay.ts'
import { linkTo, pageNames, pageTitles, type Route, useRoute } from './route.ts'
import { useSeries } from './series.ts'
import { type Live, useNow, useStream } from './stream.ts'
import { toggleTheme, useTheme } from './theme.ts'
import { healthOf } from './words.ts'

const pages: Readonly<Record<PageName, (props: PageProps) => View>> = {
  overview: Overview,
  partitions: Partitions,
  lanes: Lanes,
  retries: Retries,
  'dead-letters': DeadLettersPage,
  group: Group,
  errors: Errors,
  config: Config,
}

const askAgainMs = 1_000

export function App(): View {
  const route = useRoute()
  const [hello, setHello] = useState<Hello | null>(null)
  const [question, setQuestion] = useState<Question | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [changes, setChanges] = useState(0)
  const group = groupOf(hello, route)
  const live = useStream(hello === null || group === '' ? null : streamQuery(group, route))
  const frame = live.frame !== null && live.frame.group === group ? live.frame : null
  const series = useSeries(group, frame)
  const replay = useReplay(group)
  const hasPast = route.page === 'overview' || route.page === 'partitions'

  // Asked again whenever the connection comes back: it may be another process by then.
  useEffect(() => {
    let asking: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const ask = async (): Promise<void> => {
      const answer = await get<Hello>('api/hello')
      if (isOver) return
      // A process between two consumers: what was seen last stays, marked as old.
      if (answer.ok) setHello((known) => (known !== null && answer.value.groups.length === 0 ? known : answer.value))
      if (!answer.ok || answer.value.groups.length === 0) asking = setTimeout(() => void ask(), askAgainMs)
    }
    void ask()
    return () => {
      isOver = true
      clearTimeout(asking)
    }
  }, [live.connected])
  useEffect(() => {
    if (!hasPast) replay.live()
  }, [hasPast])
  useEffect(() => {
    document.title = `${pageTitles[route.page]} · ${group === '' ? 'fanlane' : `${cut(group)} · fanlane`}`
  }, [route.page, group])

  const mayAct = hello?.actions === 'on' && replay.at === null
  const Page = pages[route.page]
  return h(
    'div',
    { class: 'shell' },
    h('a', { class: 'skip-link', href: '#main', onClick: skipToMain }, 'Skip to the content'),
    h(Header, { hello, group, live, frame, route }),
    h(Navigation, { route, overview: frame?.overview ?? null }),
    h(
      'main',
      {
        id: 'main',
        tabIndex: -1,
        class: `${frame !== null && !live.connected ? 'is-old' : ''}${mayAct ? ' may-act' : ''}`,
      },
      h(
        'div',
        { class: 'title-row' },
        h('h1', null, pageTitles[route.page]),
        hasPast && hello !== null && frame !== null
          ? h(ReplayBar, { replay, now: frame.at, historyMs: hello.historyMs })
          : null,
      ),
      hello?.actions === 'locked' ? h(Locked, null) : null,
      hello === null || frame === null
        ? h('p', { class: 'empty' }, connecting(hello, group))
        : h(Page, { hello, group, route, frame, series, replay, ask: mayAct ? setQuestion : null, changes }),
    ),
    question === null
      ? null
      : h(Confirm, {
          group,
          question,
          close: () => setQuestion(null),
          done: (result) => {
            setOutcome(result)
            setChanges((many) => many + 1)
          },
        }),
    h(Outcomes, { outcome, close: () => setOutcome(null) }),
  )
}

function connecting(hello: Hello | null, group: string): string {
  if (hello === null) return 'Connecting…'
  if (group === '') return 'No consumer has told about itself yet. This page fills when one starts.'
  return 'Waiting for the first figures…'
}

/** The group of the address if there is such a one, else the first. */
function groupOf(hello: Hello | null, route: Route): string {
  const wanted = route.query.group
  if (wanted !== undefined && hello?.groups.includes(wanted) === true) return wanted
  return hello?.groups[0] ?? ''
}

function streamQuery(group: string, route: Route): string {
  const query = new URLSearchParams({ group, page: route.page })
  if (route.page === 'partitions') {
    for (const [name, value] of Object.entries(windowOf(route))) query.set(name, String(value))
  }
  return query.toString()
}

/** The hash is taken by the routes, so the link moves the focus itself. */
function skipToMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function Header(props: {
  readonly hello: Hello | null
  readonly group: string
  readonly live: Live
  readonly frame: Frame | null
  readonly route: Route
}): View {
  const { hello, group, live, frame, route } = props
  const theme = useTheme()
  const groups = hello?.groups ?? []
  const choose = (event: Event): void => {
    if (event.target instanceof HTMLSelectElement) location.hash = linkTo(route.page, { group: event.target.value })
  }
  return h(
    'header',
    { class: 'header' },
    h('a', { class: 'brand', href: linkTo('overview') }, h(Logo, null), 'fanlane'),
    groups.length > 1
      ? h(
          'label',
          { class: 'field group-field' },
          'Group',
          h(
            'select',
            { value: group, onChange: choose },
            groups.map((name) => h('option', { key: name, value: name }, cut(name, 40))),
          ),
        )
      : h('span', { class: 'group-name ellipsis', title: visible(group) }, group === '' ? '' : cut(group, 40)),
    hello?.source === 'outside'
      ? h('span', { class: 'tag', title: 'Only what the brokers know: commits, and the maps in them.' }, 'from outside')
      : null,
    h(Connection, { live, frame }),
    h(
      'button',
      {
        type: 'button',
        class: 'quiet theme-button',
        'aria-label': theme === 'dark' ? 'Use light colours' : 'Use dark colours',
        onClick: toggleTheme,
      },
      h(ThemeSign, null),
    ),
  )
}

/** Its place is always there, whatever it says. */
function Connection({ live, frame }: { readonly live: Live; readonly frame: Frame | null }): View {
  const isLost = frame !== null && !live.connected
  const now = useNow(!live.connected)
  const lastSeen = live.seenAt === null ? '' : `, last seen ${age(now - live.seenAt)} ago`
  const state = isLost ? 'lost' : frame === null ? 'opening' : 'live'
  const words = isLost
    ? `connection lost${lastSeen}`
    : frame === null
      ? 'connecting…'
      : `connected · ${timeOfDay(frame.at, frame.at)}`
  return h(
    'div',
    { class: `connection connection-${state}` },
    h('span', { class: 'dot', 'aria-hidden': 'true' }),
    h('span', { class: 'connection-words', 'aria-hidden': 'true' }, words),
    // Read out when it changes, not every second.
    h(
      'span',
      { class: 'only-heard', role: 'status' },
      isLost ? 'connection lost' : frame === null ? 'connecting' : 'connected',
    ),
  )
}

function Navigation({ route, overview }: { readonly route: Route; readonly overview: OverviewFrame | null }): View {
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    // On narrow screens the list scrolls: the present page is brought into it, without moving the page itself.
    const current = list.current?.querySelector<HTMLElement>('[aria-current]')
    if (current && list.current) list.current.scrollLeft = current.offsetLeft - list.current.clientWidth / 2
  }, [route.page])
  return h(
    'nav',
    { class: 'nav', 'aria-label': 'Pages', ref: list },
    pageNames.map((page) => {
      const badge = overview === null ? null : badgeOf(page, overview)
      return h(
        'a',
        {
          key: page,
          href: linkTo(page, route.query.group === undefined ? {} : { group: route.query.group }),
          ...(page === route.page ? { 'aria-current': 'page' as const } : {}),
        },
        pageTitles[page],
        h(
          'span',
          { class: `badge${badge?.isBad === true ? ' badge-bad' : ''}`, title: badge?.title ?? '' },
          badge?.text ?? '',
        ),
      )
    }),
  )
}

interface Badge {
  readonly text: string
  readonly title: string
  readonly isBad: boolean
}

function badgeOf(page: PageName, overview: OverviewFrame): Badge | null {
  const of = (many: number, title: string, isBad: boolean): Badge | null =>
    many > 0 ? { text: count(many), title: `${count(many)} ${title}`, isBad } : null
  if (page === 'overview') {
    return healthOf(overview, 0).mood === 'bad' ? { text: '!', title: 'something is held back', isBad: true } : null
  }
  if (page === 'partitions') return of(overview.stalled, 'held back', true)
  if (page === 'retries') {
    return of(overview.waiting + overview.parked, 'waiting or parked', overview.parked > 0)
  }
  if (page === 'dead-letters') return of(overview.totals.exhausted ?? 0, 'failed for good since the start', false)
  return null
}

const Locked = (): View =>
  h(
    'p',
    { class: 'note' },
    'Actions are locked in this browser. To unlock them, open the link with the token that the process printed when it started.',
  )

const ThemeSign = (): View =>
  h(
    'svg',
    { viewBox: '0 0 16 16', width: 16, height: 16, 'aria-hidden': 'true', class: 'theme-sign' },
    h('circle', { cx: 8, cy: 8, r: 6.2, 'stroke-width': 1.5 }),
    h('path', { d: 'M8 1.8a6.2 6.2 0 0 1 0 12.4z' }),
  )

const Logo = (): View =>
  h(
    'svg',
    { viewBox: '0 0 16 16', width: 18, height: 18, 'aria-hidden': 'true', class: 'logo' },
    h('path', { d: 'M2 4h12M2 8h7M2 12h10', 'stroke-width': 2.4, 'stroke-linecap': 'round' }),
  )
