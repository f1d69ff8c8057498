import { expect, test } from 'vitest'
import { ENCODED_PAGES_CHARS, EncodedPageCache } from './encoded-page-cache.ts'

test('[O33] a page that two readers have read takes its room once', () => {
  const pages = new EncodedPageCache()
  const page = { text: 'x'.repeat(ENCODED_PAGES_CHARS / 4), last: 1 }
  for (let times = 0; times < 10; times++) pages.set('a', 0, page)
  pages.set('a', 1, page)
  pages.set('a', 2, page)
  expect([0, 1, 2].map((after) => pages.get('a', after))).toEqual([page, page, page])
})
