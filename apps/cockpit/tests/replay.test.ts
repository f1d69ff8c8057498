// The replay of an export file: a session without its server.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { type CockpitWorld, describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'

const HOSTILE = '<img src=x onerror=alert(1)>\u202eevil'

const exported = async (world: CockpitWorld, id: string): Promise<string> =>
  (await fetch(`${world.url}/sessions/${id}/export?agent=scripted`)).text()

const choose = (page: Page, name: string, text: string): Promise<void> =>
  page
    .getByLabel('Export file to replay')
    .setInputFiles({ name, mimeType: 'application/x-ndjson', buffer: Buffer.from(text) })

const banner = (page: Page) => page.getByRole('region', { name: 'The past' })

describeCockpit('a replay', (world) => {
  test('[C39][C40][C41] a file is replayed without a call to the server, also when it is gone: thread, timeline, health, scrubber, branches', async () => {
    await world.play('one', [
      { text: `I look first. ${HOSTILE}` },
      { tool: 'read_file', id: 'first', args: { path: 'a.ts' }, result: 'twelve lines' },
      { checkpoint: 'half of it' },
      { text: ' It is done.' },
    ])
    await expect.poll(async () => (await world.client.session('one')).status).toBe('idle')
    const { checkpoints } = await world.client.chat('one', 'scripted')
    await world.client.branch('one', {
      agent: 'scripted',
      session_id: 'two',
      from_event_id: checkpoints.find(({ checkpoint_type: type }) => type === 'step')?.event_id ?? '',
      prompt: '@script [{"text":"The other way."}]',
    })
    await expect.poll(async () => (await world.client.session('two')).status).toBe('idle')
    const text = await exported(world, 'one')
    const page = await world.open('/')
    await page.getByRole('link', { name: 'Replay a file' }).click()
    await page.getByText('nothing is sent to a server').waitFor()
    const asked: string[] = []
    page.on('request', (request) => {
      if (/sessions|log|export/.test(new URL(request.url()).pathname)) asked.push(request.url())
    })
    await world.stopServer()
    await choose(page, 'one.ndjson', text)
    const thread = page.getByRole('region', { name: 'Thread' })
    await thread.getByText('It is done.').waitFor()
    expect(await page.locator('.thread img').count()).toBe(0)
    const strip = page.getByRole('region', { name: 'At a glance' })
    await strip.getByText('Read only').waitFor()
    expect(await page.getByRole('textbox', { name: /Message/ }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /Branch here|Back to live/ }).count()).toBe(0)
    await page
      .getByRole('region', { name: 'Calls' })
      .getByRole('button', { name: /read_file/ })
      .waitFor()
    await page.getByRole('tab', { name: /Health/ }).click()
    await page.getByText('No findings', { exact: true }).waitFor()
    await page.getByRole('slider', { name: 'Event' }).focus()
    await page.keyboard.press('Home')
    await banner(page).getByText('Viewing event 1 of').waitFor()
    expect(await thread.getByText('It is done.').count()).toBe(0)
    expect(
      await page
        .getByRole('button', { name: 'Edit policy' })
        .or(page.getByRole('button', { name: 'Set a budget' }))
        .isDisabled(),
    ).toBe(true)
    // The branch has the beginning of its parent.
    await page.getByRole('combobox', { name: 'Session of the file' }).selectOption({ index: 1 })
    await thread.getByText('The other way.').waitFor()
    await thread.getByText('I look first.').waitFor()
    expect(await thread.getByText('It is done.').count()).toBe(0)
    expect(asked).toEqual([])
    await page.setViewportSize({ width: 390, height: 844 })
    await expectNoOverflow(page)
    await world.startServer(Number(new URL(world.url).port))
  })

  longTest('[C39] a damaged or hostile file says what is wrong, and where', async () => {
    await world.ask('scripted', 'three', '@script [{"text":"fine"}]')
    const text = await exported(world, 'three')
    const lines = text.split('\n')
    const page = await world.open('/replay')
    const problem = page.getByRole('alert').filter({ hasText: 'cannot be shown' })
    const cases: readonly (readonly [name: string, text: string, sentence: RegExp])[] = [
      ['picture.png', '\u0000\u0001\u0002', /Line 1: /],
      ['other.json', '{"hello":1}\n', /Line 1: This is no export/],
      ['newer.ndjson', text.replace('"version":1', '"version":9'), /Line 1: .*version 9/],
      ['changed.ndjson', text.replace('fine', 'fine!'), /Line \d+: /],
      ['cut.ndjson', lines.slice(0, 5).join('\n'), /Line \d+: .*cut off/],
      ['gap.ndjson', [...lines.slice(0, 4), ...lines.slice(5)].join('\n'), /Line 5: /],
      [
        `${HOSTILE}.ndjson`,
        `{"bridle":"export","version":1,"created_by":"bridle"}\n{"__proto__":{"x":1}}\n`,
        /Line 2: /,
      ],
      ['deep.ndjson', `${lines[0]}\n${'['.repeat(50_000)}\n`, /Line 2: /],
    ]
    for (const [name, content, sentence] of cases) {
      await choose(page, name, content)
      await problem
        .getByText(sentence)
        .filter({ hasText: name.slice(0, 4) })
        .waitFor()
    }
    expect(await page.locator('main img').count()).toBe(0)
    await choose(page, 'three.ndjson', text)
    await page.getByRole('region', { name: 'Thread' }).getByText('fine').waitFor()
    await page.getByRole('button', { name: 'Close the file' }).click()
    await page.getByText('nothing is sent to a server').waitFor()
  })
})
