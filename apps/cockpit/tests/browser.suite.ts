// The built cockpit in a real browser, before a real server.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FabricClient, fabricClient } from 'bridle/client'
import { HarnessServer, type ServerOptions } from 'bridle/node'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
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

let shared: Browser | null = null

/** The browser of all test files of this process, which ends with it. A file that finds it crashed starts another. */
export const sharedBrowser = async (executablePath: string): Promise<Browser> => {
  if (!shared?.isConnected()) shared = await launch(executablePath)
  return shared
}

interface OpenOptions extends BrowserContextOptions {
  /** For a page that changes its whole context, for example its clock. Options other than `viewport` imply it. */
  readonly ownContext?: boolean
}

/** A new context and its first page cost three times as much as another page of a context that has one. */
class SharedContext {
  /** An open page keeps the renderer and its compiled code. */
  readonly #keeper: CDPSession
  readonly #context: BrowserContext
  readonly #origins = new Set<string>()
  #last: Promise<unknown> = Promise.resolve()

  private constructor(context: BrowserContext, keeper: CDPSession) {
    this.#context = context
    this.#keeper = keeper
  }

  static async create(browser: Browser): Promise<SharedContext> {
    const context = await browser.newContext(contextOptions)
    return new SharedContext(context, await context.newCDPSession(await context.newPage()))
  }

  /** Pages that are open at once share storage, as tabs do. A page that opens alone finds it empty. */
  newPage(origin: string): Promise<Page> {
    this.#origins.add(origin)
    const opened = this.#last.then(async () => {
      if (this.pages.length === 0) await this.#empty()
      return this.#context.newPage()
    })
    this.#last = opened.catch(() => {})
    return opened
  }

  /** All pages but the first, which keeps the context warm. */
  get pages(): readonly Page[] {
    return this.#context.pages().slice(1)
  }

  async close(): Promise<void> {
    await this.#context.close()
  }

  async #empty(): Promise<void> {
    for (const origin of this.#origins)
      await this.#keeper.send('Storage.clearDataForOrigin', {
        origin,
        storageTypes: 'cookies,local_storage,indexeddb,cache_storage,service_workers',
      })
  }
}

const contextOptions: BrowserContextOptions = {
  viewport: { width: 1440, height: 900 },
  // Icons that turn would have the machine paint all the time.
  reducedMotion: 'reduce',
}

export class CockpitWorld {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'bridle-cockpit-'))
  readonly #options: ServerOptions
  #browser!: Browser
  #context!: SharedContext
  readonly #ownContexts: BrowserContext[] = []
  #app!: string
  #server!: HarnessServer
  /** Errors of every page: a test fails with them at its end. */
  readonly problems: string[] = []

  constructor(options: ServerOptions = {}) {
    this.#options = options
  }

  get url(): string {
    return this.#server.url
  }

  get client(): FabricClient {
    return fabricClient({ url: this.url })
  }

  /** The browser may have other worlds, and outlives this one. */
  async begin(browser: Browser): Promise<void> {
    this.#browser = browser
    ;[this.#app, this.#context] = await Promise.all([builtCockpit(), SharedContext.create(browser)])
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

  /** A page with empty storage, unless another one is open. Its errors and policy violations are problems. */
  async open(path = '/', options: OpenOptions = {}): Promise<Page> {
    const page = await this.#newPage(new URL(path, this.url).origin, options)
    page.on('pageerror', (error) => this.problems.push(`${path}: ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error' && !/Failed to load resource|WebSocket connection/.test(message.text()))
        this.problems.push(`${path}: ${message.text()}`)
    })
    page.setDefaultTimeout(30_000)
    await page.goto(new URL(path, this.url).href)
    return page
  }

  async #newPage(origin: string, { ownContext = false, viewport, ...options }: OpenOptions): Promise<Page> {
    const isShared = !ownContext && Object.keys(options).length === 0
    if (!isShared) {
      const context = await this.#browser.newContext({ ...contextOptions, ...(viewport && { viewport }), ...options })
      this.#ownContexts.push(context)
      return context.newPage()
    }
    const page = await this.#context.newPage(origin)
    if (viewport) await page.setViewportSize(viewport)
    return page
  }

  /** Closes every page: a test that leaves many open slows the next one. */
  async closePages(): Promise<void> {
    const pages = this.#context.pages.map((page) => page.close())
    await Promise.all([...pages, ...this.#ownContexts.splice(0).map((context) => context.close())])
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
    if (this.#browser?.isConnected())
      await Promise.all([...this.#ownContexts, this.#context].map((context) => context?.close()))
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

/** Tests with a world of their own, and a browser of their own if it has arguments. They are skipped by name where the machine has no browser. */
export const describeCockpit = (
  name: string,
  tests: (world: CockpitWorld) => void,
  options: ServerOptions = {},
  browserArgs: readonly string[] = [],
): void => {
  describe.skipIf(needs('chromium'))(name, () => {
    const world = new CockpitWorld(options)
    let own: Browser | null = null
    beforeAll(async () => {
      const executablePath = findChromium() as string
      if (browserArgs.length > 0) own = await launch(executablePath, browserArgs)
      await world.begin(own ?? (await sharedBrowser(executablePath)))
    })
    // Each open page keeps a connection to the server, and a context has six.
    afterEach(() => world.closePages())
    afterAll(async () => {
      await world.end()
      await own?.close()
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
