/**
 * UpdateFeatures: levels of features (features.ts) do not move here. To ask for what is there already is granted; any other
 * level is refused, and then the whole request is.
 * v0 a downgrade by flag · v1 the kind of change, validate only · v2 one answer for all.
 */
import { errorCodes } from '../../protocol/errors.ts'
import { type FeatureUpdateKey, updateFeaturesApi } from '../../protocol/generated/57-update-features.ts'
import { nodeId } from '../broker.ts'
import { features } from '../features.ts'
import { type Route, route } from '../server/route.ts'

const upgrade = 1
const downgrades: ReadonlySet<number> = new Set([2, 3])

export function updateFeatures(): Route {
  return route(updateFeaturesApi, {
    handle: ({ featureUpdates }, { version }) => {
      const problem = featureUpdates.map((update) => problemWith(update)).find((p) => p !== undefined)
      if (problem !== undefined) {
        const errorMessage = `The update failed for all features since the following feature had an error: ${problem}`
        return { errorCode: errorCodes.INVALID_UPDATE_VERSION, errorMessage, results: [] }
      }
      const results = featureUpdates.map(({ feature }) => ({
        feature,
        errorCode: errorCodes.NONE,
        errorMessage: 'NONE',
      }))
      return { errorCode: errorCodes.NONE, errorMessage: null, results: version < 2 ? results : [] }
    },
    refuse: (_request, errorCode) => ({ errorCode, errorMessage: null, results: [] }),
  })
}

function problemWith({ feature: name, maxVersionLevel, upgradeType }: FeatureUpdateKey): string | undefined {
  const what = `Invalid update version ${maxVersionLevel} for feature ${name}.`
  const feature = features.find((known) => known.name === name)
  if (feature === undefined) return `${what} Local controller ${nodeId} does not support this feature.`
  if (upgradeType !== upgrade && !downgrades.has(upgradeType)) {
    return `${what} The controller does not support the given upgrade type.`
  }
  const { minVersion, maxVersion, level } = feature
  if (maxVersionLevel < 0) return `${what} A feature version cannot be less than 0.`
  if (maxVersionLevel > maxVersion) {
    return `${what} Local controller ${nodeId} only supports versions ${minVersion}-${maxVersion}`
  }
  if (maxVersionLevel === level) return undefined
  if (!downgrades.has(upgradeType)) {
    return `${what} Can't downgrade the version of this feature without setting the upgrade type to either safe or unsafe downgrade.`
  }
  return `${what} This broker always speaks version ${level} and cannot go back.`
}
