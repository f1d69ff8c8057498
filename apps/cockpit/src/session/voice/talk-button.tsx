// The microphone: held with the pointer or with a key while somebody speaks.
import { type KeyboardEvent, type PointerEvent, useEffect } from 'react'
import { useAction } from '../../actions/use-action.ts'
import { Icon } from '../../ui/icon.tsx'
import type { Voice } from './use-voice.ts'

export const TalkButton = ({ voice }: { readonly voice: Voice }) => {
  const { dialogue, state, open } = voice
  const isHandsFree = state?.isHandsFree ?? false
  useAction('voice.hands_free', () => open().setHandsFree(!isHandsFree))
  useAction('voice.end', dialogue && voice.end)
  const release = (): void => dialogue?.release()
  // A person who lets go elsewhere has let go: another window, another tab.
  useEffect(() => {
    if (!state?.isPressed || !dialogue) return
    const letGo = () => dialogue.release()
    addEventListener('blur', letGo)
    return () => removeEventListener('blur', letGo)
  }, [dialogue, state?.isPressed])
  const onPointerDown = (event: PointerEvent<HTMLButtonElement>): void => {
    if (event.button !== 0) return
    // The finger may slide off the button while somebody speaks.
    event.currentTarget.setPointerCapture(event.pointerId)
    open().press()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isTalkKey(event)) return
    event.preventDefault()
    if (!event.repeat) open().press()
  }
  return (
    <button
      type="button"
      className={`btn ghost icon talk${state?.isPressed || isHandsFree ? ' on' : ''}`}
      aria-label="Hold to talk"
      title={isHandsFree ? 'Hands-free is on: just speak' : 'Hold to talk, with the pointer or with Space'}
      aria-pressed={state?.isPressed ?? false}
      aria-disabled={isHandsFree}
      onPointerDown={onPointerDown}
      onPointerUp={release}
      onPointerCancel={release}
      onLostPointerCapture={release}
      onKeyDown={onKeyDown}
      onKeyUp={(event) => isTalkKey(event) && release()}
      onBlur={release}
      // A long touch is no request for a menu.
      onContextMenu={(event) => event.preventDefault()}
    >
      <Icon name="mic" />
    </button>
  )
}

const isTalkKey = ({ key }: KeyboardEvent): boolean => key === ' ' || key === 'Enter'
