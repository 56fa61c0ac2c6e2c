/** Colours for code, when the site is built: comments, strings, numbers and words of the language. Nothing runs in the browser. */

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

const JS_WORDS =
  'async await break case catch class const continue default delete else export extends false finally for from function get if implements import in instanceof interface let new null of return set static super switch this throw true try type typeof undefined using var void while yield as readonly'
const JAVA_WORDS = 'class final import new null package private public return static var void'

const words = (text: string): string => `\\b(?:${text.split(' ').join('|')})\\b`

/** Groups: comment, string, number, word. The first that fits wins. */
function rules(comment: string, keywords: string): RegExp {
  const string = `${String.raw`'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`}\`(?:\\\\.|[^\`\\\\])*\``
  return new RegExp(`(${comment})|(${string})|(\\b\\d[\\d_.]*\\b)|(${keywords})`, 'g')
}

const LANGUAGES: Readonly<Record<string, RegExp>> = {
  ts: rules(String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`, words(JS_WORDS)),
  js: rules(String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`, words(JS_WORDS)),
  java: rules(String.raw`\/\/[^\n]*|\/\*[\s\S]*?\*\/`, words(JAVA_WORDS)),
  json: rules('(?!)', words('true false null')),
  yaml: rules('#[^\\n]*', words('true false null')),
  sh: rules('(?<=^|\\s)#[^\\n]*', '(?<=^|\\n|&& )(?:npm|npx|fanlane|node|docker|git|export)\\b'),
}

const CLASSES = ['comment', 'string', 'number', 'word'] as const

export function highlighted(code: string, language: string): string {
  const pattern = LANGUAGES[language]
  if (pattern === undefined) return escapeHtml(code)
  let html = ''
  let at = 0
  for (const match of code.matchAll(pattern)) {
    const kind = CLASSES[match.slice(1).findIndex((group) => group !== undefined)]
    html += `${escapeHtml(code.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`
    at = match.index + match[0].length
  }
  return html + escapeHtml(code.slice(at))
}
