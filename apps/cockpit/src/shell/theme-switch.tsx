import { useSyncExternalStore } from 'react'
import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icon-names.ts'
import { applyTheme, storedTheme, subscribeTheme, THEMES, type Theme } from './theme.ts'

const icons: { readonly [theme in Theme]: IconName } = { system: 'monitor', light: 'sun', dark: 'moon' }

export const ThemeSwitch = () => {
  const theme = useSyncExternalStore(subscribeTheme, storedTheme)
  return (
    <fieldset className="seg theme">
      <legend className="vh">Theme</legend>
      {THEMES.map((each) => (
        <button
          key={each}
          type="button"
          className={each === theme ? 'on' : ''}
          aria-pressed={each === theme}
          aria-label={each}
          title={each}
          onClick={() => applyTheme(each)}
        >
          <Icon name={icons[each]} size={14} />
        </button>
      ))}
    </fieldset>
  )
}
