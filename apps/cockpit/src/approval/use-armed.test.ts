import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { useArmed } from './use-armed.ts'

test('[C256] a card is not armed when it appears', () => {
  const Card = () => (useArmed() ? 'armed' : 'not armed')
  expect(renderToStaticMarkup(createElement(Card))).toBe('not armed')
})
