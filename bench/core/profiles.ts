/** After a run with profiles: a flame graph beside each, and the hottest functions of ours in words. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type CpuProfile, flameSvg, framesOf, hottest } from './flame.ts'

export interface DrawnProfile {
  /** The contender. */
  readonly name: string
  readonly profile: CpuProfile
  readonly svg: string
}

export function drawProfiles(folder: string, say: (line: string) => void): DrawnProfile[] {
  const drawn: DrawnProfile[] = []
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, name)
    if (!name.endsWith('.cpuprofile') || statSync(file).size === 0) continue
    const profile = JSON.parse(readFileSync(file, 'utf8')) as CpuProfile
    const frames = framesOf(profile)
    const svg = flameSvg(frames, name)
    const path = file.replace(/cpuprofile$/, 'svg')
    writeFileSync(path, svg)
    drawn.push({ name: name.split(/[\\/]/)[0] ?? name, profile, svg })
    say(`\nprofile ${relative(process.cwd(), path)} (the .cpuprofile beside it opens in DevTools and speedscope)`)
    for (const { name: each, share } of hottest(frames, 12)) say(`  ${(share * 100).toFixed(1).padStart(5)} %  ${each}`)
  }
  return drawn
}
