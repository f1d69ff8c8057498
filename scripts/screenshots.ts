// npm run screenshots                  every page of the cockpit, in both themes and on a phone, into .screenshots
// npm run screenshots -- inbox fleet   these pages only
// npm run screenshots -- --readme      those of the README alone, small, into docs/images
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { ServerOptions } from 'bridle/node'
import type { Browser, Page } from 'playwright-core'
import { CockpitWorld, launch } from '../apps/cockpit/tests/browser.suite.ts'
import { stories } from '../apps/cockpit/tests/filled/stories.suite.ts'
import { firstRun, inEachLook, signIn, type View, views } from '../apps/cockpit/tests/filled/views.suite.ts'
import { fill } from '../apps/cockpit/tests/filled/world.suite.ts'
import { findChromium } from './needs.ts'

const folder = fileURLToPath(new URL('../.screenshots', import.meta.url))

const images = fileURLToPath(new URL('../docs/images', import.meta.url))
/** The pages in the README. */
const README_PAGES = ['session', 'inbox', 'sessions']
/** Letters stay sharp, and each picture stays far below 150 kB. */
const WEBP_QUALITY = 0.82

/** A picture in the format that takes a third of the bytes: the browser writes it, so no other program is needed. */
const asWebp = async (page: Page, png: Buffer): Promise<Buffer> => {
  // The policy of the cockpit's page allows no picture from elsewhere.
  const blank = await page.context().newPage()
  const address: string = await blank.evaluate(`(async () => {
    const picture = new Image()
    picture.src = 'data:image/png;base64,${png.toString('base64')}'
    await picture.decode()
    const canvas = Object.assign(document.createElement('canvas'), { width: picture.width, height: picture.height })
    canvas.getContext('2d').drawImage(picture, 0, 0)
    return canvas.toDataURL('image/webp', ${WEBP_QUALITY})
  })()`)
  await blank.close()
  return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64')
}

const takeForReadme = async (world: CockpitWorld, pages: readonly View[]): Promise<void> => {
  mkdirSync(images, { recursive: true })
  for (const view of pages)
    await inEachLook(world, view, async (page, look) => {
      if (look !== 'light') return
      writeFileSync(join(images, `${view.name}.webp`), await asWebp(page, await page.screenshot()))
    })
}

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
  browser: Browser,
  pages: readonly View[],
  options: ServerOptions,
  prepare: (world: CockpitWorld) => Promise<void> = async () => {},
  shoot = take,
): Promise<readonly string[]> => {
  if (pages.length === 0) return []
  // Vite's build says production, where agents without a trigger are private.
  const world = new CockpitWorld({ env: { ...process.env, NODE_ENV: 'development' }, ...options })
  try {
    await world.begin(browser)
    await prepare(world)
    await shoot(world, pages)
  } finally {
    await world.end()
  }
  return world.problems
}

const main = async (): Promise<void> => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { readme: { type: 'boolean' } } })
  const chosen = (pages: readonly View[]) =>
    pages.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  mkdirSync(folder, { recursive: true })
  const filled = { agents: stories }
  const browser = await launch(findChromium() ?? '')
  const problems: string[] = []
  try {
    if (values.readme) {
      const shown = views.filter(({ name }) => README_PAGES.includes(name))
      problems.push(...(await withWorld(browser, shown, filled, fill, takeForReadme)))
    } else {
      problems.push(...(await withWorld(browser, chosen(views), filled, fill)))
      problems.push(...(await withWorld(browser, chosen([firstRun]), {})))
      problems.push(...(await withWorld(browser, chosen([signIn]), { authToken: 'a-token-for-pictures' })))
    }
  } finally {
    await browser.close()
  }
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
}

if (import.meta.main) await main()
