// The built cockpit in a real browser, before a real server.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FabricClient, fabricClient } from 'bridle/client'
import { HarnessServer, type ServerOptions } from 'bridle/node'
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findChromium, needs } from '../../../scripts/needs.ts'
import { isThorough } from '../../../scripts/variants.ts'
import { builtCockpit } from './built-app.suite.ts'

/** Nothing leaves the machine: the page has no other address than the server. */
export const launch = (executablePath: string, more: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-extensions',
      '--in-process-gpu',
      ...more,
    ],
  })

export class CockpitWorld {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'bridle-cockpit-'))
  readonly #options: ServerOptions
  readonly #browserArgs: readonly string[]
  #browser!: Browser
  #app!: string
  #server!: HarnessServer
  /** Errors of every page: a test fails with them at its end. */
  readonly problems: string[] = []

  constructor(options: ServerOptions = {}, browserArgs: readonly string[] = []) {
    this.#options = options
    this.#browserArgs = browserArgs
  }

  get url(): string {
    return this.#server.url
  }

  get client(): FabricClient {
    return fabricClient({ url: this.url })
  }

  async begin(executablePath: string): Promise<void> {
    const [browser, app] = await Promise.all([launch(executablePath, this.#browserArgs), builtCockpit()])
    this.#browser = browser
    this.#app = app
    await this.startServer()
  }

  async startServer(port = 0): Promise<void> {
    this.#server = await HarnessServer.start({
      port,
      data: join(this.folder, 'data'),
      cockpit: this.#app,
      log: () => {},
      ...this.#options,
    })
  }

  /** Ends the server and starts it again on the same port and data. */
  async restart(): Promise<void> {
    const port = Number(new URL(this.url).port)
    await this.#server.close()
    await this.startServer(port)
  }

  async stopServer(): Promise<void> {
    await this.#server.close()
  }

  /** A page in a context of its own, as another person has it. Its errors and policy violations are problems. */
  async open(path = '/', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width: 1440, height: 900 },
      // Icons that turn would have the machine paint all the time.
      reducedMotion: 'reduce',
      ...options,
    })
    const page = await context.newPage()
    page.on('pageerror', (error) => this.problems.push(`${path}: ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(message.text()))
        this.problems.push(`${path}: ${message.text()}`)
    })
    page.setDefaultTimeout(10_000)
    await page.goto(new URL(path, this.url).href)
    return page
  }

  /** Closes every page: a test that leaves many open slows the next one. */
  async closePages(): Promise<void> {
    await Promise.all(this.#browser.contexts().map((context) => context.close()))
  }

  /** Asks an agent, and waits for its answer. */
  async ask(agent: string, id: string, prompt: string): Promise<void> {
    await fabricClient({ url: this.url }).invoke(agent, id, { prompt })
  }

  /** Plays a script of the scripted agent, and does not wait for its end. */
  async play(id: string, script: readonly object[]): Promise<void> {
    await fabricClient({ url: this.url }).invoke(
      'scripted',
      id,
      { prompt: `@script ${JSON.stringify(script)}` },
      { async: true },
    )
  }

  async end(): Promise<void> {
    await this.#browser?.close()
    await this.#server?.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** A test beyond the first one of its feature: `npm run test:long` runs it, and `npm test` keeps to its time. */
export const longTest = (name: string, run: () => Promise<void>): void => {
  // Long logs are imported, and a busy machine takes its time to show them.
  if (isThorough) test(name, { timeout: 180_000 }, run)
}

/** The same for tests that share a world of their own. */
export const describeLong: typeof describeCockpit = (...suite) => {
  if (isThorough) describeCockpit(...suite)
}

/** Tests of one file, with a world of their own; they are skipped by name where the machine has no browser. */
export const describeCockpit = (
  name: string,
  tests: (world: CockpitWorld) => void,
  options: ServerOptions = {},
  browserArgs: readonly string[] = [],
): void => {
  describe.skipIf(needs('chromium'))(name, { timeout: 60_000 }, () => {
    const world = new CockpitWorld(options, browserArgs)
    beforeAll(() => world.begin(findChromium() as string))
    afterAll(async () => {
      await world.end()
      expect(world.problems).toEqual([])
    })
    tests(world)
  })
}

/** No page is wider than its window, whatever it shows. */
export const expectNoOverflow = async (page: Page): Promise<void> => {
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  expect(overflow).toBeLessThanOrEqual(0)
}

/** The inspector scrolls up and down alone. */
export const expectNoSideScroll = async (page: Page): Promise<void> => {
  const overflow = await page.evaluate(
    "Math.max(...[...document.querySelectorAll('.insp-panel')].map((panel) => panel.scrollWidth - panel.clientWidth))",
  )
  expect(overflow).toBeLessThanOrEqual(0)
}

/** Nothing lies over the middle of a button. */
export const expectUncovered = async (button: Locator): Promise<void> => {
  const { x, y, width, height } = (await button.boundingBox())!
  const name = await button.innerText()
  const top = `document.elementFromPoint(${x + width / 2}, ${y + height / 2})?.closest('button')?.innerText`
  expect(await button.page().evaluate(top)).toBe(name)
}
