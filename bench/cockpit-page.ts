// A page under measure: the time of its long tasks, and how often it showed something new.
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'

export interface PageMeasure {
  readonly longTaskMs: number
  readonly updates: number
  readonly text: string
}

/** Counts frames in which the conversation changed; a long task is one of 50 ms and more, as browsers say. */
const METER = `
  window.meter = { longTaskMs: 0, updates: 0 }
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) meter.longTaskMs += duration })
    .observe({ entryTypes: ['longtask'] })
  let isChanged = false
  new MutationObserver(() => { isChanged = true })
    .observe(document, { subtree: true, childList: true, characterData: true })
  const frame = () => { if (isChanged) meter.updates += 1; isChanged = false; requestAnimationFrame(frame) }
  requestAnimationFrame(frame)
`

const TAIL = "(document.querySelector('[role=log]')?.textContent ?? '').slice(-12000)"
const END_MS = 180_000
/** Seldom enough not to be a part of what is measured. */
const POLL_MS = 500

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}

/** Opens an address of the server; those below `/stock/` come from the folder, so that both pages have one origin. */
export const openMeasured = async (browser: Browser, url: string, stockFolder: string): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.route('**/stock/**', (route) => {
    const path = new URL(route.request().url()).pathname.replace('/stock/', '')
    return route.fulfill({ contentType: TYPES[extname(path)] ?? '', body: readFileSync(join(stockFolder, path)) })
  })
  await page.addInitScript(METER)
  await page.goto(url)
  return page
}

/** Waits until the end of the conversation has the text. */
export const waitForText = async (page: Page, text: string): Promise<void> => {
  const deadline = Date.now() + END_MS
  // By commands of the debugger: the policy of the page allows no other code.
  while (!(await page.evaluate<string>(TAIL)).includes(text)) {
    if (Date.now() > deadline) throw new Error(`The page did not show "${text}" within ${END_MS / 1_000} s.`)
    await setTimeout(POLL_MS)
  }
}

/** Measures from now until the conversation ends with the text. */
export const measureUntil = async (page: Page, play: () => Promise<unknown>, end: string): Promise<PageMeasure> => {
  await page.evaluate('meter.longTaskMs = 0; meter.updates = 0')
  await play()
  await waitForText(page, end)
  const { longTaskMs, updates } = await page.evaluate<Pick<PageMeasure, 'longTaskMs' | 'updates'>>('meter')
  return { longTaskMs, updates, text: await page.evaluate<string>(TAIL) }
}

/** The compressed size of the scripts and styles that a page loads. */
export const loadedBytes = async (browser: Browser, url: string, isReady: string): Promise<number> => {
  const page = await browser.newPage()
  const sizes: Promise<number>[] = []
  page.on('response', (response) => {
    if (/\.(js|css)$/.test(new URL(response.url()).pathname))
      sizes.push(response.body().then((body) => gzipSync(body, { level: 9 }).length))
  })
  await page.goto(url)
  await page.getByRole('heading', { level: 1, name: isReady }).waitFor()
  const bytes = await Promise.all(sizes)
  await page.close()
  return bytes.reduce((sum, each) => sum + each, 0)
}
