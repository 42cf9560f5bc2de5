package backup

import "fmt"

// Fields describes the fields of requests and documents whose declarations do not, by name. A key Type.field is the field of one type.
func Fields() map[string]string {
	return map[string]string{
		"BackupAttributes.database_ids":              "The ids of the databases in the backup.",
		"BackupAttributes.status":                    "How far the backup is, or how it ended.",
		"BackupConfigurationAttributes.database_ids": "The ids of the databases that are backed up.",
		"BackupConfigurationAttributes.status":       "Whether the configuration is set up on the server.",
		"BackupKeyAttributes.created_at":             "When the key was generated.",
		"BackupMeta.encrypted":                       "Whether the objects are encrypted.",
		"BackupObjectMeta.database_id":               "The id of the database; null for files, or if the database is gone.",
		"BackupObjectMeta.key":                       "The key of the object in the bucket.",
		"BackupObjectMeta.kind":                      "What the object contains.",
		"BackupObjectMeta.name":                      "The name of the database, or of the site for files.",
		"BackupObjectMeta.reason":                    "Why the object is not stored; null if it is.",
		"BackupObjectMeta.size":                      "The size of the object, in bytes.",
		"BackupObjectMeta.status":                    "Whether the object is stored.",
		"BackupObjectMeta.url":                       "The address of the object in the bucket.",
		"CreateBackupConfigurationRequest.bucket":    "The bucket. Null or omitted for the storage provider's default.",
		"RestoreBackupRequest.database_id": "The database to restore. It is replaced, after a fresh backup of it has been stored, unless name or " +
			"source_database_id is given.",
		"RestoreBackupRequest.name":               "Restore into a new database with this name, which must not exist yet, instead of replacing one.",
		"RestoreBackupRequest.site_id":            "The site into which the files of the backup are restored. Without it, files are not restored.",
		"UpdateBackupConfigurationRequest.bucket": "The bucket. Null for the storage provider's default.",
		"alarm":                 "What is wrong with the backups; null if nothing is.",
		"bucket":                "The bucket that objects are stored in.",
		"cron_schedule":         "The cron expression of the frequency custom; null for others.",
		"database_ids":          "The ids of the databases.",
		"day_of_week":           "The day of weekly backups, from 0 for Sunday; null for other frequencies.",
		"directory":             "The directory in the bucket below which objects are stored.",
		"displayable_schedule":  "The schedule in words.",
		"frequency":             "How often to back up. weekly also needs day and time, daily needs time, custom needs cron.",
		"include_new_databases": "Whether all databases of the server are backed up, including future ones.",
		"last_backup":           "When the newest complete backup ended; null if there is none.",
		"last_proven_backup":    "The id of the newest backup with a successful proof; null if there is none.",
		"last_proven_restore":   "When a backup was last restored into a separate database and found to equal the dump; null for never.",
		"name":                  "A name of your choice.",
		"next_proof":            "When the next proof is due; null if there is none.",
		"notification_email":    "The address that is notified of failed backups; null for none.",
		"notify_email":          "The address that is notified of failed backups; null for none.",
		"objects":               "The objects of the backup: one for each database, and one for files.",
		"paths":                 "Files and directories below the site's directory that are backed up, such as uploads or .env.",
		"proof_reason":          "Why the newest proof failed; null if it did not.",
		"proof_status":          "How the newest proof ended; null if there was none.",
		"prove_every_days": "The number of days between proofs, in which a backup is restored into a separate database and compared; 0 for never. " +
			"New configurations have 7.",
		"provider":            "The kind of the storage provider.",
		"reason":              "Why the backup failed; null if it did not.",
		"recipient":           "The public key that backups are encrypted to.",
		"retention":           "The number of complete backups that are kept.",
		"schedule":            "The frequency: hourly, daily, weekly or custom.",
		"site_id":             "The site whose files are backed up; null for none.",
		"storage_provider_id": "The id of the storage provider that objects are stored at.",
		"time":                "The time of daily and weekly backups, as hours and minutes in the organization's time zone; null for other frequencies.",
	}
}

// Values are what fields take or show whose declarations do not list it, by Type.field.
func Values() map[string][]string {
	return map[string][]string{
		"CreateBackupConfigurationRequest.time": halfHours(),
		"UpdateBackupConfigurationRequest.time": halfHours(),
	}
}

// halfHours are the times at which daily and weekly backups can begin.
func halfHours() []string {
	var out []string
	for hour := range 24 {
		out = append(out, fmt.Sprintf("%02d:00", hour), fmt.Sprintf("%02d:30", hour))
	}
	return out
}
