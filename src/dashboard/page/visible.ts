/** Which elements are on the screen, or nearly: one observer for all of them. */
import { useEffect, useState } from 'preact/hooks'

const listeners = new WeakMap<Element, (isVisible: boolean) => void>()
const observer = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) listeners.get(target)?.(isIntersecting)
  },
  // What comes next is ready before it is seen.
  { rootMargin: '200px 0px' },
)

/** True until the browser says otherwise. */
export function useVisible(place: { readonly current: Element | null }): boolean {
  const [isVisible, setVisible] = useState(true)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    listeners.set(element, setVisible)
    observer.observe(element)
    return () => {
      observer.unobserve(element)
      listeners.delete(element)
    }
  }, [])
  return isVisible
}
