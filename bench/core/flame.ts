/**
 * A flame graph as SVG from a CPU profile of Node: every box is a function, as wide as the time that was spent in it and in what it
 * called, below its caller. Opens in a browser; the name and the share are shown on hover.
 */

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly samples?: readonly number[]
  readonly timeDeltas?: readonly number[]
}

export interface Frame {
  readonly name: string
  /** In microseconds, with what it called. */
  readonly totalUs: number
  readonly selfUs: number
  readonly children: readonly Frame[]
}

const width = 1_400
const rowHeight = 17
/** Boxes that are narrower are left out. */
const pixelsMin = 0.5

/** The calls of a profile as one tree; callees with the same name are one box. */
export function framesOf({ nodes, samples = [], timeDeltas = [] }: CpuProfile): Frame {
  const own = new Map<number, number>()
  for (const [at, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + Math.max(0, timeDeltas[at] ?? 0))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const build = (same: readonly ProfileNode[], name: string): Frame => {
    const called = same.flatMap(({ children = [] }) => children.flatMap((id) => byId.get(id) ?? []))
    const children = [...Map.groupBy(called, nameOf)]
      .map(([each, list]) => build(list, each))
      .filter(({ totalUs }) => totalUs > 0)
      .sort((a, b) => b.totalUs - a.totalUs)
    const selfUs = same.reduce((sum, { id }) => sum + (own.get(id) ?? 0), 0)
    return { name, selfUs, totalUs: children.reduce((sum, { totalUs }) => sum + totalUs, selfUs), children }
  }
  const root = nodes[0]
  return root === undefined ? { name: 'nothing', selfUs: 0, totalUs: 0, children: [] } : build([root], 'all')
}

function nameOf({ callFrame }: ProfileNode): string {
  const { functionName, url, lineNumber } = callFrame
  const file = url.split('/').slice(-2).join('/')
  return `${functionName === '' ? '(anonymous)' : functionName}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`
}

export function flameSvg(root: Frame, title: string): string {
  const boxes: string[] = []
  let depthMost = 0
  const draw = (frame: Frame, left: number, depth: number): void => {
    const pixels = (frame.totalUs / Math.max(1, root.totalUs)) * width
    if (pixels < pixelsMin) return
    depthMost = Math.max(depthMost, depth)
    const y = 30 + depth * rowHeight
    const share = `${((frame.totalUs / Math.max(1, root.totalUs)) * 100).toFixed(1)} %`
    const room = Math.floor(pixels / 7)
    const text =
      room < 4 ? '' : `<text x="${(left + 3).toFixed(1)}" y="${y + 12}">${escaped(frame.name.slice(0, room))}</text>`
    const box = `<rect x="${left.toFixed(1)}" y="${y}" width="${pixels.toFixed(1)}" height="${rowHeight - 1}" fill="${colourOf(frame.name)}"/>`
    boxes.push(`<g><title>${escaped(frame.name)}, ${share}</title>${box}${text}</g>`)
    let at = left
    for (const child of frame.children) {
      draw(child, at, depth + 1)
      at += (child.totalUs / Math.max(1, root.totalUs)) * width
    }
  }
  draw(root, 0, 0)
  const height = 40 + (depthMost + 1) * rowHeight
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="monospace" font-size="11">`,
    `<title>${escaped(title)}</title>`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    `<text x="4" y="18" font-size="14">${escaped(title)}</text>`,
    ...boxes,
    '</svg>\n',
  ].join('\n')
}

/** The same function has the same colour in every picture. */
function colourOf(name: string): string {
  let hash = 0
  for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0
  return `hsl(${15 + (hash % 45)} 90% ${62 + (hash % 12)}%)`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The functions in which most of the time itself was spent. */
export function hottest(root: Frame, count: number): readonly { readonly name: string; readonly share: number }[] {
  const own = new Map<string, number>()
  const walk = (frame: Frame): void => {
    own.set(frame.name, (own.get(frame.name) ?? 0) + frame.selfUs)
    frame.children.forEach(walk)
  }
  walk(root)
  const sorted = [...own].sort(([, a], [, b]) => b - a).slice(0, count)
  return sorted.map(([name, selfUs]) => ({ name, share: selfUs / Math.max(1, root.totalUs) }))
}
