// A pressed key in the words of the table: `Ctrl+k`, `Shift+x`, `?`.

type PressedKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/** The command key of a Mac is Ctrl. A sign that needs Shift on some keyboards is the sign alone. */
export const keyText = ({ key, ctrlKey, metaKey, altKey, shiftKey }: PressedKey): string => {
  const isLetter = /^\p{L}$/u.test(key)
  const isSign = key.length === 1 && !isLetter
  const name = isLetter ? key.toLowerCase() : key
  return [
    ...(ctrlKey || metaKey ? ['Ctrl'] : []),
    ...(altKey ? ['Alt'] : []),
    ...(shiftKey && !isSign ? ['Shift'] : []),
    name,
  ].join('+')
}

export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Boxes to tick and radio buttons take no letters. */
export const takesLetters = (target: EventTarget | null): boolean =>
  isTyping(target) && !(target instanceof HTMLInputElement && /^(checkbox|radio)$/.test(target.type))
