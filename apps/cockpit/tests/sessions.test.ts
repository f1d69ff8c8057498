// The list of sessions: filters in the address, rows that follow the server, acts upon several rows, and keys. The health of all.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type CockpitWorld, describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'

const background = async (world: CockpitWorld, id: string, title: string, ...script: readonly object[]) => {
  const prompt = `@script ${JSON.stringify(script)}`
  await world.client.startBackground({ agent: 'scripted', session_id: id, title, prompt })
}

const statusOf = async (world: CockpitWorld, id: string): Promise<string> => (await world.client.session(id)).status

const row = (page: Page, title: string) => page.getByRole('row', { name: new RegExp(title) })

const titles = (page: Page): Promise<string[]> => page.locator('tbody [data-row-link]').allTextContents()

const long = { sleepMs: 60_000 }

/** The titles on the page of health, of the sessions that its test made. */
const cards = async (page: Page): Promise<string[]> =>
  (await page.locator('.fleet-card .fleet-head > a').allTextContents()).filter((title) => /^[A-Z][a-z]+$/.test(title))

describeCockpit('the list of sessions, and their health', (world) => {
  test('filters and search are in the address and survive a reload; a row follows its session', async () => {
    await background(world, 'wait-1', 'Rotate keys', { approve: 'shell', reason: 'It removes keys.' })
    await background(world, 'work-1', 'Nightly triage', long)
    await background(world, 'work-2', 'Nightly import', long)
    await background(world, 'bad-1', 'Codemod', { checkpoint: 'half' }, { fail: 'The disk is full.' })
    const page = await world.open('/')
    await row(page, 'Rotate keys').getByRole('link', { name: 'Review' }).waitFor()
    await expect.poll(() => titles(page)).toEqual(['Rotate keys', 'Nightly import', 'Nightly triage', 'Codemod'])
    await page.getByText('1 needs you').waitFor()
    await row(page, 'Codemod').getByText('The disk is full.').waitFor()
    await page.getByRole('link', { name: '1 failed' }).click()
    await expect.poll(() => titles(page)).toEqual(['Codemod'])
    await page.goBack()

    await page.getByLabel('Status').selectOption('running')
    await page.keyboard.press('Escape')
    await page.getByRole('searchbox').fill('nightly')
    await expect.poll(() => titles(page)).toEqual(['Nightly import', 'Nightly triage'])
    expect(new URL(page.url()).search).toBe('?status=running&search=nightly')
    await page.reload()
    await expect.poll(() => titles(page)).toEqual(['Nightly import', 'Nightly triage'])
    expect(await page.getByRole('searchbox').inputValue()).toBe('nightly')

    await world.client.pause('work-2')
    await expect.poll(() => titles(page)).toEqual(['Nightly triage'])
    await page.getByRole('button', { name: 'Remove filter status' }).click()
    await row(page, 'Nightly import').getByText('Paused').waitFor()
    await row(page, 'Nightly import').getByRole('button', { name: 'Resume' }).click()
    await row(page, 'Nightly import').getByText('Running').waitFor()
    expect(await statusOf(world, 'work-2')).toBe('running')

    await page.getByRole('searchbox').fill('no such thing')
    await page.getByText('No session fits these filters').waitFor()
    await page.getByRole('button', { name: 'Show all sessions' }).click()
    await row(page, 'Codemod').waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.close()
  })

  test('on a small laptop the title has the room that the other columns leave', async () => {
    const title = 'Tour: lower the retry budget of payments'
    await background(world, 'roomy', title, { text: 'Done.' })
    const page = await world.open('/', { viewport: { width: 1280, height: 800 } })
    await row(page, title).getByText('Completed').waitFor()
    const cut = `[...document.querySelectorAll('tbody [data-row-link]')]
      .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText)`
    expect(await page.evaluate(cut)).toEqual([])
    await expectNoOverflow(page)
    await world.client.remove('scripted', 'roomy')
    await page.close()
  })

  longTest('keys move, select and act; an act is undone, another is sent', async () => {
    const page = await world.open('/', { ownContext: true })
    await page.clock.install()
    await row(page, 'Codemod').waitFor()
    for (const key of ['j', 'j', 'x', 'j', 'Shift+X']) await page.keyboard.press(key)
    const bar = page.getByRole('toolbar', { name: '2 selected' })
    await bar.getByText('2 running').waitFor()
    expect(await bar.getByRole('button', { name: 'Resume' }).isDisabled()).toBe(true)

    await bar.getByRole('button', { name: 'Pause 2' }).click()
    await page.getByText('Pausing 2 sessions').waitFor()
    await row(page, 'Nightly triage').getByText('pausing').waitFor()
    await row(page, 'Rotate keys').getByRole('checkbox').click()
    await page.getByRole('button', { name: 'Stop 1' }).click()
    await page.getByText('Stopping “Rotate keys”').waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('Stopping “Rotate keys”').waitFor({ state: 'detached' })
    await page.clock.fastForward(6_000)

    await row(page, 'Nightly triage').getByText('Paused').waitFor()
    await expect.poll(() => statusOf(world, 'work-2')).toBe('paused')
    expect(await statusOf(world, 'wait-1')).toBe('awaiting_approval')

    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/s\/wait-1\?agent=scripted/)
    await page.close()
  })

  longTest(
    'the archive: rows leave the list, are found in it, and come back; other filters ask the server',
    async () => {
      const page = await world.open('/?kind=background&engine=scripted&since=hour', { ownContext: true })
      await page.clock.install()
      await row(page, 'Codemod').getByRole('checkbox').click()
      await row(page, 'Nightly import').getByRole('checkbox').click()
      await page.getByRole('button', { name: 'Archive 2' }).click()
      await expect.poll(() => titles(page)).toEqual(['Rotate keys', 'Nightly triage'])
      await page.clock.fastForward(6_000)
      await expect.poll(async () => (await world.client.sessions({ archived: true })).sessions.length).toBe(2)

      await page.getByLabel('Archived').selectOption('true')
      await expect.poll(() => titles(page)).toHaveLength(2)
      await row(page, 'Nightly import').getByText('archived', { exact: true }).waitFor()
      await row(page, 'Codemod').getByRole('checkbox').click()
      await page.getByRole('button', { name: 'Unarchive 1' }).click()
      await page.clock.fastForward(6_000)
      await expect.poll(() => titles(page)).toEqual(['Nightly import'])
      await page.goto(new URL('/?flag=waiting', world.url).href)
      await expect.poll(() => titles(page)).toEqual(['Rotate keys'])
      await page.goto(new URL('/?engine=codex', world.url).href)
      await page.getByText('No session fits these filters').waitFor()
      await page.close()
    },
  )

  longTest('an act that waits is sent when the page is left', async () => {
    const page = await world.open('/')
    await row(page, 'Nightly triage').getByRole('checkbox').click()
    await page.getByRole('button', { name: 'Stop 1' }).click()
    await page.getByText('Stopping “Nightly triage”').waitFor()
    await page.goto('about:blank')
    await expect.poll(() => statusOf(world, 'work-1')).toBe('cancelled')
    await page.close()
  })

  test('a new session is asked, and opened', async () => {
    const page = await world.open('/')
    await page.getByText('Live').waitFor()
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog', { name: 'New session' })
    const start = dialog.getByRole('button', { name: 'Start' })
    await dialog.getByRole('button', { name: 'Background work' }).click()
    // A session of an agent that is not ready can only fail.
    const { agents } = await world.client.agents()
    const { name, needs } = agents.find(({ available }) => !available)!
    await dialog.getByLabel('Agent').selectOption(name)
    await expect.poll(() => start.isDisabled()).toBe(true)
    expect(await start.getAttribute('title')).toBe(`This agent is not ready. ${needs}`)
    await dialog.getByLabel('Agent').selectOption('scripted')
    expect(await start.getAttribute('title')).toBe(null)
    await dialog.getByRole('textbox', { name: 'Prompt', exact: true }).fill('@script [{"text":"Done."}]')
    await dialog.getByLabel('Title').fill('Made here')
    await dialog.getByLabel('cost').fill('0.5')
    await start.click()
    await page.waitForURL(/\/s\//)
    const { sessions } = await world.client.sessions({ search: 'Made here' })
    expect(sessions[0]?.health?.budget_pressure.budgets).toMatchObject([{ budget: 'max_cost_usd', limit: 0.5 }])
    await page.close()
  })

  longTest('a failed session is branched; long titles widen no window', async () => {
    await background(world, 'x'.repeat(120), `${'wide '.repeat(20)}${'W'.repeat(100)}`, { approve: 't'.repeat(200) })
    const phone = await world.open('/', { viewport: { width: 390, height: 844 } })
    await phone.getByRole('link', { name: /wide wide/ }).waitFor()
    await expectNoOverflow(phone)
    const page = await world.open('/')
    await row(page, 'wide wide').waitFor()
    await expectNoOverflow(page)
    await row(page, 'Codemod').getByRole('button', { name: 'Branch' }).click()
    await page.waitForURL((url) => url.pathname.startsWith('/s/'))
    const { sessions } = await world.client.sessions({ parent: 'bad-1' })
    expect(sessions).toHaveLength(1)
    await phone.close()
    await page.close()
  })

  test('health stands worst first, filters by flag, and does what the server advises', async () => {
    const fails = { tool: 'fetch', outcome: 'error' }
    await background(world, 'fine', 'Fine', { text: 'Done.' })
    await background(world, 'bad', 'Broken', { checkpoint: 'half' }, fails, fails, { fail: 'The disk is full.' })
    await background(world, 'asks', 'Asks', fails, { approve: 'shell', reason: 'It removes files.' })
    await background(world, 'rests', 'Rests', fails, fails, long)
    await world.client.setPolicy('rests', { health: { max_failed_tool_calls: 20 } })
    await expect.poll(async () => (await world.client.sessionHealth('rests')).score).toBeLessThan(95)
    await world.client.pause('rests')
    await background(world, 'near', 'Near', { usage: { input_tokens: 1, cost_usd: 0.8 } }, { text: 'Done.' })
    await world.client.setPolicy('near', { health: { max_cost_usd: 0.9 } })
    await expect.poll(() => statusOf(world, 'near')).toBe('completed')

    const page = await world.open('/fleet')
    await expect.poll(() => cards(page)).toEqual(['Broken', 'Codemod', 'Rests', 'Asks', 'Near'])
    await page.getByText(/sessions? needs? no look/).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Near' }).getByText('near a budget').waitFor()
    const broken = page.getByRole('listitem').filter({ hasText: 'Broken' })
    await broken.getByText('the last turn failed').waitFor()
    await broken.getByText('−40').waitFor()
    await broken.getByRole('link', { name: 'Health 50' }).first().waitFor()
    const rests = page.getByRole('listitem').filter({ hasText: 'Rests' })
    await rests.getByRole('meter', { name: 'Failed calls' }).waitFor()
    await rests.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => statusOf(world, 'rests')).toBe('running')
    await rests.getByText('Running').waitFor()

    await page.getByRole('button', { name: /waiting/ }).click()
    await expect.poll(() => cards(page)).toEqual(['Asks'])
    await page.reload()
    await expect.poll(() => cards(page)).toEqual(['Asks'])
    const asks = page.getByRole('listitem').filter({ hasText: 'Asks' })
    await asks.getByRole('link', { name: 'Answer the approval' }).click()
    await page.waitForURL(/\/inbox\?a=.*&s=asks/)
    await page.close()
  })

  longTest('the longest contents widen no window of health', async () => {
    await background(world, 'wide', 'W'.repeat(200), { fail: 'e'.repeat(3_000) })
    for (const width of [390, 1440]) {
      const page = await world.open('/fleet', { viewport: { width, height: 900 } })
      await page.getByRole('link', { name: /^WWWW/ }).waitFor()
      await expectNoOverflow(page)
      await page.close()
    }
  })
})
