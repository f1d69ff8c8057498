// A page under measure: the time of its long tasks, and how often it showed something new.
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { firstFault } from './page-fault.ts'

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
  const log = '[role=log]'
  const isOfLog = ({ target }) => (target.closest ? target : target.parentElement)?.closest(log)
  new MutationObserver((records) => { isChanged ||= records.some(isOfLog) })
    .observe(document, { subtree: true, childList: true, characterData: true })
  const frame = () => { if (isChanged) meter.updates += 1; isChanged = false; requestAnimationFrame(frame) }
  requestAnimationFrame(frame)
`

const TAIL = "(document.querySelector('[role=log]')?.textContent ?? '').slice(-12000)"
/** An answer takes 8 s on the cockpit's page and 12 s on the other, and several times that on a machine with much else to do. */
const END_MS = 60_000
/** Seldom enough not to be a part of what is measured. */
const POLL_MS = 500

/** A page with the meter in it, and the first thing that goes wrong on it. */
export interface MeasuredPage {
  readonly page: Page
  readonly fault: Promise<never>
}

/** Opens an address with the meter running from its first script. */
export const openMeasured = async (browser: Browser, url: string): Promise<MeasuredPage> => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const fault = firstFault(page)
  await page.addInitScript(METER)
  const response = await page.goto(url)
  if (!response?.ok()) throw new Error(`${url} answered ${response?.status() ?? 'nothing'}.`)
  return { page, fault }
}

/** Waits until the end of the conversation has the text; a fault of the page ends it at once. */
export const waitForText = async ({ page, fault }: MeasuredPage, text: string): Promise<void> => {
  const over = new AbortController()
  const isShown = async () => {
    // By commands of the debugger: the policy of the page allows no other code.
    while (!over.signal.aborted && !(await page.evaluate<string>(TAIL)).includes(text)) await setTimeout(POLL_MS)
  }
  // A page that is busy for ever answers no command, so the limit stands beside the question.
  const limit = async () => {
    await setTimeout(END_MS, undefined, { signal: over.signal })
    throw new Error(`The page did not show "${text}" within ${END_MS / 1_000} s.`)
  }
  try {
    await Promise.race([isShown(), limit(), fault])
  } finally {
    over.abort()
  }
}

/** Measures from now until the conversation ends with the text. */
export const measureUntil = async (
  measured: MeasuredPage,
  play: () => Promise<unknown>,
  end: string,
): Promise<PageMeasure> => {
  const { page } = measured
  await page.evaluate('meter.longTaskMs = 0; meter.updates = 0')
  await play()
  await waitForText(measured, end)
  const { longTaskMs, updates } = await page.evaluate<Pick<PageMeasure, 'longTaskMs' | 'updates'>>('meter')
  return { longTaskMs, updates, text: await page.evaluate<string>(TAIL) }
}

/** The compressed size of the scripts and styles that a page loads. */
export const loadedBytes = async (browser: Browser, url: string, isReady: string): Promise<number> => {
  const page = await browser.newPage()
  const fault = firstFault(page)
  const sizes: Promise<number>[] = []
  page.on('response', (response) => {
    if (/\.(js|css)$/.test(new URL(response.url()).pathname))
      sizes.push(response.body().then((body) => gzipSync(body, { level: 9 }).length))
  })
  await page.goto(url)
  await Promise.race([page.getByRole('heading', { level: 1, name: isReady }).waitFor(), fault])
  const bytes = await Promise.all(sizes)
  await page.close()
  return bytes.reduce((sum, each) => sum + each, 0)
}
