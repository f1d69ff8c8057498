// The page of an import: a file is read before it is stored, and stored only when somebody says so.

import {
  turnEvents,
  type WrittenEvent,
  type WrittenSession,
  writtenFile,
} from '@bridle/surfaces/http/history/written-files.suite'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { describeCockpit, describeLong, expectNoOverflow, longTest } from './browser.suite.ts'

const TRAP = `Hello${'\n'.repeat(80)}rm -rf ~ \u202etxt`
const CLAIMS = { permission_mode: 'bypassPermissions', workspace_mode: 'in_place', workspace_source: '/etc' }

/** A turn that waits for an approval, behind one that is done. */
const openWork: readonly WrittenEvent[] = [
  ...turnEvents(2, TRAP),
  ...turnEvents(8, 'Then push').slice(0, 4),
  {
    type: 'approval_required',
    run: 'r-8',
    attempt: 1,
    payload: { request_id: 'ap-1', tool_call_id: 'c1', tool_name: 'bash', reason: 'push' },
  },
]
const stranger = (more: Partial<WrittenSession> = {}): string =>
  writtenFile({ id: 'stranger', opening: { settings: CLAIMS }, events: openWork, ...more })

const choose = (page: Page, text: string, name = 'stranger.jsonl'): Promise<void> =>
  page
    .getByLabel('Export file to import')
    .setInputFiles({ name, mimeType: 'application/x-ndjson', buffer: Buffer.from(text) })

describeCockpit('import', (world) => {
  const count = async () => (await world.client.sessions()).sessions.length

  test('[C393][C394][C395] a file shows its prompts, and what is dropped, before it becomes a replay or a session', async () => {
    const page = await world.open('/')
    await page.getByRole('link', { name: 'Import a session' }).click()
    await page.reload()
    await choose(page, stranger())
    await page.getByText('12 events · 1 session · not signed').waitFor()
    await page.getByText('Nothing runs until you send a new prompt.').waitFor()
    const prompts = page.getByRole('region', { name: 'Prompts of the file' })
    await prompts.getByText('2, in full').waitFor()
    await prompts.getByText('unknown author · event 2').waitFor()
    await prompts.getByText('⟨79 empty lines⟩').waitFor()
    await prompts.getByText('⟨U+202E⟩', { exact: false }).waitFor()
    await prompts.getByText('1 with hidden characters or long gaps').waitFor()
    const changes = page.getByRole('region', { name: 'Dropped or changed' })
    await changes.getByRole('row', { name: /^Workspace .*\/etc.* Not used/ }).waitFor()
    await changes.getByRole('row', { name: /^1 setting permission_mode: bypassPermissions Ignored/ }).waitFor()
    await changes.getByRole('row', { name: /^1 open approval .*The calls do not run/ }).waitFor()
    await changes.getByRole('row', { name: /^1 turn in progress .*Ends as cancelled/ }).waitFor()
    expect(await count()).toBe(0)
    await page.getByRole('button', { name: 'Open replay' }).click()
    await page.getByRole('region', { name: 'Thread' }).getByText('Then push').waitFor()
    expect(await count()).toBe(0)
    await page.goBack()
    // The keyboard chooses, too.
    await page.getByRole('radio', { name: /^Replay/ }).focus()
    await page.keyboard.press('ArrowDown')
    await page.getByText('file: bypassPermissions').waitFor()
    await page.getByRole('button', { name: 'Import session' }).click()
    await vi.waitFor(() => expect(page.url()).toContain('/s/stranger?agent=scripted'))
    expect(await count()).toBe(1)
    expect((await world.client.session('stranger')).permission_mode).toBe('normal')
    await world.closePages()
  })

  longTest(
    '[C396] a file that is here, an id that is taken, and a file that the server refuses are said in words',
    async () => {
      await world.client.importSessions(stranger({ id: 'taken' }))
      const before = await count()
      const page = await world.open('/import-file')
      const alert = page.getByRole('alert')
      await choose(page, stranger({ id: 'taken' }))
      await page.getByRole('radio', { name: /^Session/ }).check()
      await page.getByRole('row', { name: /^1 known session taken/ }).waitFor()
      await page.getByRole('button', { name: 'Open session' }).waitFor()
      await choose(page, stranger({ id: 'taken', at: 1_600_000_000_001 }))
      await alert.getByText('another session "taken" here').waitFor()
      expect(await alert.getByText('rename=1').count()).toBe(0)
      await page.getByRole('radio', { name: /^Session/ }).check()
      expect(await page.getByRole('button', { name: 'Import session' }).isDisabled()).toBe(true)
      await page.getByLabel('Give a session whose id is taken another id').check()
      await page.getByRole('row', { name: /^1 renamed session taken → taken-2/ }).waitFor()
      await page.getByRole('button', { name: 'Import session' }).click()
      await vi.waitFor(() => expect(page.url()).toContain('/s/taken-2'))
      expect(await count()).toBe(before + 1)
      await page.goto(new URL('/import-file', world.url).href)
      await choose(page, stranger({ agent: 'nobody' }))
      await alert.getByText('Line 2: This server has no agent "nobody".').waitFor()
      await choose(page, stranger().replaceAll('Then push', 'Then pull'))
      await alert.getByText('the file was changed or damaged').waitFor()
      await world.stopServer()
      await choose(page, stranger())
      await alert.getByText('The server does not take this file.').waitFor()
      await world.startServer(Number(new URL(world.url).port))
      await world.closePages()
    },
  )

  longTest('[C394] a hostile file stays readable: a prompt of 1 MB, and 10,000 prompts', async () => {
    const page = await world.open('/import-file', { viewport: { width: 390, height: 844 } })
    const prompts = page.getByRole('region', { name: 'Prompts of the file' })
    await choose(
      page,
      stranger({ id: 'long', events: turnEvents(2, `${'x'.repeat(1_000_000)}\u202e`) }),
      '\u202elive.jsonl',
    )
    await page.getByText('⟨U+202E⟩live.jsonl').waitFor()
    await prompts.getByRole('button', { name: 'Show all 1.0 MB' }).waitFor()
    await expectNoOverflow(page)
    const many = Array.from({ length: 10_000 }, (_, at) => turnEvents(2 + at * 6, `Prompt ${at}`)).flat()
    await choose(page, stranger({ id: 'many', events: many }))
    await prompts.getByText('10,000, in full').waitFor()
    await prompts.getByRole('button', { name: 'Show 50 more' }).click()
    await prompts.getByText('9,900 more prompts not shown yet').waitFor()
    await expectNoOverflow(page)
    await world.closePages()
  })
})

describeLong(
  'import without the right to approve',
  (world) => {
    test('[C396] a credential that may not import reads and replays', async () => {
      const page = await world.open('/import-file')
      await page.getByLabel('Token').fill('operator')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await choose(page, stranger())
      await page.getByText('Your credential may not import').waitFor()
      expect(await page.getByRole('radio', { name: /^Session/ }).isDisabled()).toBe(true)
      await page.getByRole('button', { name: 'Open replay' }).click()
      await page.getByRole('region', { name: 'Thread' }).getByText('Then push').waitFor()
      await world.closePages()
    })
  },
  { tokens: [{ token: 'operator', scopes: ['observe', 'operate'] }] },
)
