/** The table of settings in docs/guide/configuration.md. */
import { type Setting, settings } from '../../src/config/schema.ts'

export function settingsTable(): string {
  const rows = settings.map((each) => `| ${cells(each).join(' | ')} |`)
  return ['| setting | flag | environment | default | |', '|---|---|---|---|---|', ...rows].join('\n')
}

function cells({ name, flag, env, fallback, about, kind, isSecret }: Setting): string[] {
  const words = typeof kind === 'string' ? '' : ` (${kind.map((each) => `\`${each}\``).join(', ')})`
  const secret = isSecret ? '; secret' : ''
  return [
    `\`${name}\``,
    flag === null ? '–' : `\`--${flag}\``,
    env.map((each) => `\`${each}\``).join(' '),
    fallback,
    `${about}${words}${secret}`,
  ].map((text) => text.replaceAll('|', '\\|'))
}
