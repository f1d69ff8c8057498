// Run by needs.test.ts, on a machine that seems to have no programs; here it is as good as any other test.
import { expect, test } from 'vitest'
import { needs } from './needs.ts'

test.skipIf(needs('tmux'))('with tmux', () => expect(needs('tmux')).toBeNull())
test.skipIf(needs('tmux'))('again with tmux', () => expect(needs('tmux')).toBeNull())
