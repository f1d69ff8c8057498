// npm run screenshots                  every page of the cockpit, in both themes and on a phone, into .screenshots
// npm run screenshots -- inbox fleet   these pages only
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { ServerOptions } from 'bridle/node'
import { CockpitWorld } from '../apps/cockpit/tests/browser.suite.ts'
import { stories } from '../apps/cockpit/tests/filled/stories.suite.ts'
import { firstRun, inEachLook, signIn, type View, views } from '../apps/cockpit/tests/filled/views.suite.ts'
import { fill } from '../apps/cockpit/tests/filled/world.suite.ts'
import { findChromium } from './needs.ts'

const folder = fileURLToPath(new URL('../.screenshots', import.meta.url))

const take = async (world: CockpitWorld, pages: readonly View[]): Promise<void> => {
  for (const view of pages)
    try {
      await inEachLook(world, view, async (page, look) => {
        const path = join(folder, `${view.name}-${look}.png`)
        await page.screenshot({ path })
        console.log(path)
      })
    } catch (error) {
      world.problems.push(`${view.name}: ${(error as Error).message}`)
    }
}

/** A server of its own for the pages that need one. */
const withWorld = async (
  pages: readonly View[],
  options: ServerOptions,
  prepare: (world: CockpitWorld) => Promise<void> = async () => {},
): Promise<readonly string[]> => {
  if (pages.length === 0) return []
  // Vite's build says production, where agents without a trigger are private.
  const world = new CockpitWorld({ env: { ...process.env, NODE_ENV: 'development' }, ...options })
  try {
    await world.begin(findChromium() ?? '')
    await prepare(world)
    await take(world, pages)
  } finally {
    await world.end()
  }
  return world.problems
}

const main = async (): Promise<void> => {
  const { positionals } = parseArgs({ allowPositionals: true })
  const chosen = (pages: readonly View[]) =>
    pages.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  mkdirSync(folder, { recursive: true })
  const problems = [
    ...(await withWorld(chosen(views), { agents: stories }, fill)),
    ...(await withWorld(chosen([firstRun]), {})),
    ...(await withWorld(chosen([signIn]), { authToken: 'a-token-for-pictures' })),
  ]
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
}

if (import.meta.main) await main()
