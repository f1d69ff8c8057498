// The one listener for the keys of the table.
import { useEffect } from 'react'
import { offeredActions } from './action-store.ts'
import { actionRow } from './action-table.ts'
import { keyAction } from './key-actions.ts'
import { keyText, takesLetters } from './key-text.ts'

export const useActionKeys = (): void => {
  useEffect(() => {
    let before = ''
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return
      const isTyping = takesLetters(event.target)
      const key = keyText(event)
      const isBehind = document.querySelector('dialog[open]') !== null
      const { activeElement } = document
      const isOnElement = activeElement !== null && activeElement !== document.body
      const action = keyAction(offeredActions(), key, before, { isTyping, isBehind, isOnElement })
      before = isTyping ? '' : key
      if (!action) return
      event.preventDefault()
      if (!event.repeat || actionRow(action.id).repeats) action.run()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
