/** What a project is made of besides its own code, and what is known against that: npm's bill of materials and its audit. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const outputMaxBytes = 64 << 20

export interface Part {
  readonly name: string
  readonly version: string
  readonly license: string
}

export interface Bill {
  readonly parts: readonly Part[]
  /** CycloneDX, as npm writes it. */
  readonly json: string
}

export type Audit =
  | { readonly kind: 'asked'; readonly vulnerabilities: number; readonly told: string }
  /** The registry does not answer such questions, or cannot be reached. */
  | { readonly kind: 'not-asked'; readonly why: string }

interface CycloneDx {
  readonly components?: readonly {
    readonly name: string
    readonly version: string
    readonly licenses?: readonly { readonly license?: { readonly id?: string }; readonly expression?: string }[]
  }[]
}

/** Without what is only for developing. */
export async function billOf(directory: string): Promise<Bill> {
  const { stdout } = await npm(['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'], directory)
  const { components = [] } = JSON.parse(stdout) as CycloneDx
  const parts = components.map(({ name, version, licenses }) => ({
    name,
    version,
    license: licenses?.[0]?.license?.id ?? licenses?.[0]?.expression ?? '?',
  }))
  return { parts, json: stdout }
}

interface AuditAnswer {
  readonly metadata?: { readonly vulnerabilities: { readonly total: number } }
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>
  readonly message?: string
}

export async function auditOf(directory: string): Promise<Audit> {
  // It ends with 1 where it found something, and where it could not ask: what it printed tells which.
  const { stdout, stderr } = await npm(['audit', '--json', '--omit', 'dev'], directory).catch(
    (error: { stdout?: string; stderr?: string }) => ({ stdout: error.stdout ?? '', stderr: error.stderr ?? '' }),
  )
  const answer = answerIn(stdout)
  if (answer?.metadata === undefined) return { kind: 'not-asked', why: answer?.message ?? lastLine(stderr) }
  const { total } = answer.metadata.vulnerabilities
  const found = Object.entries(answer.vulnerabilities ?? {}).map(
    ([name, { severity, range }]) => `${name} ${range}: ${severity}`,
  )
  return { kind: 'asked', vulnerabilities: total, told: total === 0 ? 'nothing known against it' : found.join('\n') }
}

function answerIn(text: string): AuditAnswer | null {
  try {
    return JSON.parse(text) as AuditAnswer
  } catch {
    // No JSON: npm did not get as far as asking.
    return null
  }
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? ''
}

function npm(args: readonly string[], cwd: string): Promise<{ stdout: string; stderr: string }> {
  return execute('npm', [...args], { cwd, maxBuffer: outputMaxBytes })
}
