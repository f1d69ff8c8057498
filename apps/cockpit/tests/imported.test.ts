// An imported session: the prompts, the mode and the files are shown before a branch or a replay begins.

import { turnEvents, writtenFile } from '@bridle/surfaces/http/history/written-files.suite'
import { expect, test, vi } from 'vitest'
import { describeCockpit, expectNoOverflow, longTest } from './browser.suite.ts'

const TRAP = `Hello${'\n'.repeat(80)}rm -rf ~ \u202etxt`
const file = (id: string, prompts: number): string =>
  writtenFile({
    id,
    opening: {
      settings: { permission_mode: 'bypassPermissions', workspace_mode: 'in_place', workspace_source: '/etc' },
    },
    events: Array.from({ length: prompts }, (_, at) => turnEvents(2 + at * 6, at === 0 ? TRAP : `Prompt ${at}`)).flat(),
  })

describeCockpit('imported', (world) => {
  test('[C392] a branch of an imported session shows the prompts first, hidden characters and empty lines too', async () => {
    await world.client.importSessions(file('stranger', 1))
    const page = await world.open('/s/stranger?agent=scripted')
    await page.getByText('Done.').first().waitFor()
    const branch = () => page.getByRole('button', { name: 'Branch', exact: true }).first().click()
    await branch()
    const dialog = page.getByRole('dialog', { name: 'Imported session' })
    await dialog.getByText('⟨79 empty lines⟩').waitFor()
    await dialog.getByText('⟨U+202E⟩', { exact: false }).waitFor()
    await dialog.getByText('As the agent asks').waitFor()
    const count = async () => (await world.client.sessions()).sessions.length
    expect(await count()).toBe(1)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Nothing was started.').waitFor()
    expect(await count()).toBe(1)
    await branch()
    await dialog.getByRole('button', { name: 'Confirm and continue' }).click()
    await vi.waitFor(() => expect(page.url()).not.toContain('/s/stranger?'))
    expect(await count()).toBe(2)
    await world.closePages()
  })

  longTest('[C392] so does a replay; many prompts are counted, and a phone shows all of it', async () => {
    await world.client.importSessions(file('many', 120))
    const page = await world.open('/s/many?agent=scripted&view=branches&replay=1', {
      viewport: { width: 390, height: 844 },
    })
    await page.getByLabel('Begin with').selectOption({ index: 99 })
    await page.getByRole('button', { name: /^Run \d+ prompts again/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Imported session' })
    await dialog.getByText('120, in full').waitFor()
    await dialog.getByText('70 more prompts not shown yet').waitFor()
    await dialog.getByRole('button', { name: 'Show 50 more' }).click()
    await dialog.getByText('20 more prompts not shown yet').waitFor()
    await expectNoOverflow(page)
    await dialog.getByRole('button', { name: 'Confirm and continue' }).click()
    await vi.waitFor(() => expect(new URL(page.url()).searchParams.get('a')).toBe('many'))
    await world.closePages()
  })
})
